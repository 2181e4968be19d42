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
from collections.abc import Callable
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
ONE_THREAD = ("-e", "GGML_HEXAGON_NHVX=1")
"""More let a thread do its share of an operator twice, at times
(findings/ggml-hexagon-share-runs-twice.sh)."""
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
    return llama.succeeds("run", "sim", "--soc", soc, *ONE_THREAD, *options, "--", *program)


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


NOISE = {"f16": 1e-5, "q8_0": 1e-4, "q4_0": 1e-4}
"""The largest error of an operator by rounding, squared and as a share: activations are rounded
to the type of the weights, or a near one, by each processor in its own way."""
NORM = "ggml/src/ggml-hexagon/htp/hvx-norm.h"


@pytest.fixture(scope="module")
def recorded(llama: Project, models: Path) -> Callable[[str], Path]:
    def record(kind: str) -> Path:
        file, one = models / f"{kind}.calls", ("-e", "GGML_HEXAGON_OPBATCH=1", *ONE_THREAD)
        words = ("run", "sim", "--soc", "SM8550", *one, "--record-calls", str(file), "--")
        program = ("bin/llama-simple", "-m", str(models / f"{kind}.gguf"), "-n", "8", "Hello")
        command = (sys.executable, "-P", "-m", "buildtool", *words, *program)
        # Its words need not be UTF-8.
        subprocess.run(command, cwd=llama.root, check=True, capture_output=True)
        return file

    return record


def operators(llama: Project, file: Path, *options: str) -> dict[str, float]:
    """The largest error of each operator that differs."""
    found = json.loads(llama.run("diverge", str(file), *options, "--json").stdout)
    assert found["compared"] > 200
    assert found["missing"] == 0
    assert found["unknown"] <= 5  # methods that start and stop the backend
    return {row["method"]: row["nmse"] for row in found["methods"] if row["differ"]}


@pytest.mark.parametrize("kind", MODELS)
def test_operators_agree_with_other_processors(
    llama: Project, recorded: Callable[[str], Path], kind: str
) -> None:
    file = recorded(kind)
    assert operators(llama, file, "--soc", "SM8550") == {}
    for options in (("--soc", "SM8750"), ("--soc", "SM8550", "--reference", "ggml")):
        assert 0 < max(operators(llama, file, *options).values()) < NOISE[kind], options


def test_a_changed_constant_is_found_by_operator(
    llama: Project, recorded: Callable[[str], Path]
) -> None:
    right = (llama.root / NORM).read_text()
    constant = "hvx_vec_splat_f32(epsilon)"
    assert constant in right
    llama.write(NORM, right.replace(constant, "hvx_vec_splat_f32(epsilon + 0.001f)"))
    try:
        wrong = operators(llama, recorded("f16"), "--soc", "SM8550", "--reference", "ggml")
    finally:
        llama.write(NORM, right)
    assert {name for name, error in wrong.items() if error > NOISE["f16"]} == {"RMS_NORM_MUL"}
