"""The unmodified tree of llama.cpp: from `init` to the tokens of small random models on the DSP.

The tree is the one in the source package of llama-cpp-python, with ggml 0.25.3.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.project import Project

pytestmark = pytest.mark.long

PACKAGE = "llama-cpp-python==0.3.36"
GGUF = ("gguf==0.19.0", "numpy==2.4.6")
MODELS = {"f16": 16, "q8_0": 6, "q4_0": 16}
"""Kinds of models, and how many words do not depend on rounding: for the seventh one of q8_0, the
two best are 0.0002 apart in logits, and rounding activations to q8_0 moves that by up to 0.05."""
SOCS = {"v73": "SM8550", "v75": "SM8650", "v79": "SM8750", "v81": "SM8850"}
TARGETS = 'targets = ["llama-simple", "llama-bench", "test-backend-ops"]\n'
PIP = (sys.executable, "-m", "pip", "-q")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The tree, built for the emulated device with nothing but other `targets` than proposed."""
    folder = tmp_path_factory.mktemp("llama")
    fetch = (*PIP, "download", "--no-deps", "--no-binary=:all:", "-d", folder, PACKAGE)
    subprocess.run(fetch, check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    project = Project(next(folder.glob("llama_cpp_python-*/vendor/llama.cpp")))
    project.succeeds("init")
    proposal = (project.root / "buildtool.toml").read_text()
    chosen, count = re.subn(r"(?ms)^targets = \[$.*?^\]\n", TARGETS, proposal)
    assert count == 1, proposal
    project.write("buildtool.toml", chosen)
    project.build()
    return project


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a model of each kind."""
    folder = tmp_path_factory.mktemp("models")
    subprocess.run((*PIP, "install", "--target", folder / "packages", *GGUF), check=True)
    script = Path(__file__).with_name("random_model.py")
    for kind in MODELS:
        subprocess.run(
            (sys.executable, script, kind, folder / f"{kind}.gguf"),
            check=True,
            env={**os.environ, "PYTHONPATH": str(folder / "packages")},
        )
    return folder


def words(llama: Project, soc: str, models: Path, kind: str, *options: str, layers: int) -> str:
    """The words after a first one, with this many layers on the DSP."""
    model, number = str(models / f"{kind}.gguf"), str(MODELS[kind])
    program = ("bin/llama-simple", "-m", model, "-ngl", str(layers), "-n", number, "Hello")
    return llama.succeeds("run", "sim", "--soc", soc, *options, "--", *program)


@pytest.mark.parametrize("arch", SOCS)
@pytest.mark.parametrize("kind", MODELS)
def test_the_dsp_says_what_the_processor_says(
    llama: Project, models: Path, kind: str, arch: str
) -> None:
    expected = words(llama, SOCS[arch], models, kind, layers=0)
    assert words(llama, SOCS[arch], models, kind, "--expect-dsp", layers=99) == expected


def test_a_bench_has_numbers(llama: Project, models: Path) -> None:
    words = ("bin/llama-bench", "-m", str(models / "q8_0.gguf"), "-p", "16", "-n", "4", "-r", "1")
    (prompt, answer) = json.loads(llama.succeeds("run", "sim", "--", *words, "-o", "json"))
    assert (prompt["n_prompt"], answer["n_gen"]) == (16, 4)
    assert min(prompt["avg_ts"], answer["avg_ts"]) > 0


@pytest.mark.parametrize("operator", ["RMS_NORM", "SSM_CONV"])
def test_operators_agree_with_the_processor(llama: Project, operator: str) -> None:
    words = ("bin/test-backend-ops", "test", "-b", "HTP0", "-o", operator)
    assert "Backend HTP0: \x1b[1;32mOK" in llama.succeeds("run", "sim", "--", *words)
