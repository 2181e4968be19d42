"""The projects that `buildtool init --template` writes work; test_docs.py tries `hvx`."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.command_line import Edit
from tests.conftest import LONG
from tests.device.arm64_python import Venv
from tests.instructions import hvx_instructions, ieee_instructions
from tests.project import Project
from tests.standins.fixtures import MakeNdk

USE = """
from demo_app import DemoAppDsp

with DemoAppDsp() as dsp:
    result = dsp.scale_add(3, [1, 2, 3], [10, 20, 30], 3)
    print(result.tolist())
"""


SOC_OF_ARCH = {"v73": "SM8550", "v79": "SM8750"}  # a qf32 is another number from v79 on
if LONG:
    SOC_OF_ARCH |= {"v68": "QCS6490", "v69": "SM8450", "v75": "SM8650", "v81": "SM8850"}
VERIFIED = (
    "demo-app: rms_norm, softmax and dot_f16 of 1024 and 1001 numbers verified against the CPU\n"
)


def started(template: str, folder: Path) -> Project:
    """A new project from `template`."""
    folder.mkdir()
    project = Project(folder)
    project.succeeds("init", "--template", template, "--name", "demo-app")
    return project


def test_the_cpp_template_runs_and_its_tests_find_a_wrong_kernel(
    tmp_path: Path, edit: Edit
) -> None:
    project = started("cpp", tmp_path / "my project")

    assert project.succeeds("run", "sim") == "demo-app: the DSP computed 13 26 39\n"
    tests = json.loads(project.succeeds("test", "sim", "--json"))["tests"]
    assert [row["outcome"] for row in tests] == ["passed"] * 4
    packets = {
        row["name"]: method["packets"]
        for row in tests
        for method in row["methods"]
        if method["name"] == "demo_app_dsp_scale_add"
    }
    assert packets["whole_vectors"] > packets["nothing"] > 0

    kernel = project.root / "dsp/src/demo_app_dsp_imp.c"
    edit(kernel, "memcpy(result + i, &rest_b, bytes)", "memcpy(result + i, &rest_a, bytes)")
    done = project.run("test", "sim")
    assert done.returncode == 1
    assert "✗ demo-app/part_of_a_vector" in done.stdout + done.stderr
    assert "element 960 of 1001 is -30015, should be " in done.stdout + done.stderr
    assert "3 of 4 tests succeeded" in done.stdout


def test_the_float_template_is_right_and_finds_a_wrong_kernel(tmp_path: Path, edit: Edit) -> None:
    project = started("float", tmp_path / "my project")
    edit(project.root / "buildtool.toml", '["v68"]', f"{list(SOC_OF_ARCH)}")

    for soc in SOC_OF_ARCH.values():
        assert project.succeeds("run", "sim", "--soc", soc) == VERIFIED
    skel = project.root / ".buildtool/release/sim/dsp/v79/libdemo_app_dsp_skel.so"
    assert "Q6_Vsf_equals_Vqf32" in hvx_instructions(skel)
    assert not ieee_instructions(skel)

    kernel = project.root / "dsp/src/demo_app_dsp_imp.c"
    edit(kernel, "i += 2 * LANES", "i += LANES")
    done = project.run("run", "sim", "--soc", "SM8550")
    assert (done.returncode, done.stdout) == (1, "")
    assert "demo-app: dot_f16: element 0 is " in done.stderr


def test_the_wheel_template_runs(tmp_path: Path) -> None:
    project = started("wheel", tmp_path / "my project")
    assert "verified against the CPU" in project.succeeds("run", "sim")
    readme = (project.root / "README.md").read_text(encoding="utf-8")
    assert USE.strip().replace("\n", "\n    ").replace("    \n", "\n") in readme


@pytest.mark.long
def test_python_calls_the_kernel_of_the_wheel_template(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project = started("wheel", tmp_path / "my project")

    project.succeeds("run", "sim")
    project.succeeds("package", "board")

    (wheel,) = (project.root / "dist").iterdir()
    (device,) = (project.root / ".buildtool" / "device").iterdir()
    venv = Venv(tmp_path_factory.mktemp("venv"), device)
    venv.pip("install", "--no-index", "--no-compile", str(wheel))
    assert venv.run(USE) == "[13, 26, 39]\n"


@pytest.mark.long
def test_the_android_template_runs_on_sim_and_packages_with_a_stand_in_ndk(
    tmp_path: Path, stand_in_ndk: MakeNdk
) -> None:
    project = started("android", tmp_path / "my project")

    assert "1 of 1 tests succeeded" in project.succeeds("test", "sim")

    with (project.root / "buildtool.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[tool.android-ndk]\npath = "{stand_in_ndk("r27")}"\n')
    project.succeeds("package", "phone")
    with zipfile.ZipFile(project.root / "dist" / "demo-app-0.1.0-phone.aar") as aar:
        names = set(aar.namelist())
    skels = {f"assets/dsp/{arch}/libdemo_app_dsp_skel.so" for arch in ("v68", "v73", "v75", "v79")}
    assert {"jni/arm64-v8a/libdemo-app.so", *skels} <= names
