"""Whole projects that the command line builds with stand-in SDKs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from buildtool.contract.build_checks import check_skel
from buildtool.core.elf.read import read_elf
from tests.command_line import Buildtool, Edit
from tests.project import Project
from tests.standins.fixtures import MakeSdk

THIRD_PARTY = Path(__file__).parent / "third_party"
VARIABLES = ("HEXAGON_SDK_ROOT", "HEXAGON_TOOLS_ROOT", "DEFAULT_HEXAGON_TOOLS_ROOT")


@pytest.fixture(autouse=True)
def _no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def third_party(tmp_path: Path) -> Path:
    root = tmp_path / "third party"
    shutil.copytree(THIRD_PARTY, root)
    return root


@pytest.mark.parametrize(
    "version",
    [
        "5.5.0.1",
        pytest.param("6.4.0.2", marks=pytest.mark.long),
        pytest.param("6.6.0.0", marks=pytest.mark.long),
    ],
)
def test_a_third_party_s_project_from_source_to_release_with_a_stand_in(
    version: str,
    third_party: Path,
    stand_in_sdk: MakeSdk,
    buildtool: Buildtool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The project has its own toolchain file and includes the SDK's CMake files on both sides."""
    sdk = stand_in_sdk(version)
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(sdk))
    # As set by the set-up script of another SDK.
    monkeypatch.setenv("DEFAULT_HEXAGON_TOOLS_ROOT", "/another/tools")
    monkeypatch.setenv("DEFAULT_TOOLS_VARIANT", "toolv65")
    monkeypatch.setenv("PREBUILT_LIB_DIR", "another")

    done = buildtool("build", "--json", cwd=third_party)

    assert done.returncode == 0, done.stderr
    assert "CMake Warning" not in done.stderr
    release = third_party / ".buildtool/release/sim"
    for arch in ("v68", "v73"):
        check_skel(release / f"dsp/{arch}/libdemo-htp-{arch}.so", arch)
    assert not (release / "dsp/v68/libdemo-htp-v73.so").exists()
    assert "libcdsprpc.so" not in " ".join(read_elf(release / "bin/demo").needed)
    seen = {
        name: json.loads(file.read_text())
        for file in third_party.glob(".buildtool/build/*/*/seen-*.json")
        for name in [file.stem.removeprefix("seen-")]
    }
    tools = next((sdk / "tools/HEXAGON_Tools").iterdir())
    variant = {"5.5.0.1": "toolv87"}.get(version, "toolv19")
    for side in ("v68", "v73", "host"):
        own = seen[side]
        assert own["cache"] == own["environment"] == [str(sdk), str(tools)]
        assert own["default_tools"] == str(tools)
        assert own["variant"] == variant
    assert seen["v73"]["prebuilt"] == f"{variant}_v73"
    assert seen["host"]["prebuilt"] == "UbuntuARM_aarch64"


def test_without_an_sdk_the_third_party_s_project_gets_an_explanation(
    third_party: Path, buildtool: Buildtool
) -> None:
    done = buildtool("build", "--json", cwd=third_party)

    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "tool-missing"
    assert "$HEXAGON_SDK_ROOT (not set)" in error["why"]
    assert "HEXAGON_SDK_ROOT" in error["remedy"]


@pytest.fixture
def qaic_project(project: Path, edit: Edit) -> Path:
    """The template's project with an included interface; qaic compiles both for both sides."""
    edit(project / "buildtool.toml", "[target.sim]", '[target.sim]\nidl-compiler = "qaic"')
    idl = next(project.glob("dsp/*.idl"))
    (project / "dsp/types.idl").write_text("typedef long number;\n")
    idl.write_text('#include "types.idl"\n' + idl.read_text())
    return project


def generated(project: Path) -> dict[str, str]:
    return {
        str(file.relative_to(project)): file.read_text()
        for file in project.glob(".buildtool/build/*/*/idl/*/*.[ch]")
    }


def headers(project: Path) -> set[str]:
    """The definition in the header of the included interface; it is the same for all trees."""
    texts = [text for name, text in generated(project).items() if name.endswith("types.h")]
    return {line for text in texts for line in text.splitlines() if " number;" in line}


@pytest.mark.long
def test_qaic_of_a_stand_in_writes_both_sides_and_what_it_read_is_an_input(
    qaic_project: Path, stand_in_sdk: MakeSdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk("6.4.0.2")))
    project = Project(qaic_project)

    project.succeeds("run", "sim")

    texts = generated(qaic_project)
    assert {Path(name).name for name in texts} == {
        "demo_dsp.h",
        "demo_dsp_skel.c",
        "demo_dsp_stub.c",
        "types.h",
    }
    assert len(texts) == 8
    assert all("written by the stand-in qaic of Hexagon SDK 6.4.0.2" in t for t in texts.values())
    stubs = [text for name, text in texts.items() if name.endswith("_stub.c")]
    assert all('#include "HAP_farf.h"' in stub and "FARF(" in stub for stub in stubs)
    assert {*project.build_here().values()} == {"up-to-date"}

    project.write("dsp/types.idl", "typedef long long number;\n")
    project.build_here()
    assert headers(qaic_project) == {"typedef int64 number;"}

    standard = re.sub(
        r"(?m)^(\[(?:host|skel)\.[^\]]*\])",
        r"\1\nidl-standard-types = true",
        (qaic_project / "buildtool.toml").read_text(),
    )
    assert standard.count("idl-standard-types") == 2
    project.write("buildtool.toml", standard)
    project.build_here()
    assert headers(qaic_project) == {"typedef int64_t number;"}


@pytest.mark.long
def test_the_depfile_names_qaic_of_a_stand_in(
    qaic_project: Path, stand_in_sdk: MakeSdk, buildtool: Buildtool
) -> None:
    sdk = stand_in_sdk("5.5.0.1")
    qaic = sdk / "ipc/fastrpc/qaic/Ubuntu18/qaic"
    command = ["idl", "dsp/demo_dsp.idl", "-o", "out", "--depfile", "out/d", "--with-includes"]
    command += ["--qaic", str(qaic)]
    for place in ("incs", "incs/stddef"):
        command += ["--system-include", str(sdk / place)]

    done = buildtool(*command, cwd=qaic_project)

    assert done.returncode == 0, done.stderr
    dependencies = (qaic_project / "out/d").read_text().replace("\\ ", " ")
    for read in (qaic, qaic_project / "dsp/types.idl", sdk / "incs/stddef/remote.idl"):
        assert f"  {read} " in dependencies or f"  {read}\n" in dependencies
    made = {file.name for file in (qaic_project / "out").iterdir()}
    assert made == {"d", "demo_dsp.h", "demo_dsp_skel.c", "demo_dsp_stub.c", "types.h"}


FAILURES = [
    ("echo no such type >&2; exit 3", "qaic rejects", "no such type"),
    ("kill -SEGV $$", "qaic crashed", "SIGSEGV"),
    ("exit 0", "qaic did not write", "demo_dsp.h"),
]


def test_a_failure_of_a_stand_in_s_qaic_is_reported(
    qaic_project: Path, tmp_path: Path, buildtool: Buildtool
) -> None:
    qaic = tmp_path / "qaic"
    for script, expected, code in FAILURES:
        qaic.write_text(f"#!/bin/sh\n{script}\n")
        qaic.chmod(0o755)

        done = buildtool(
            *("idl", "dsp/demo_dsp.idl", "-o", "out", "--qaic", str(qaic)), cwd=qaic_project
        )

        assert done.returncode == 1, script
        assert expected in done.stderr
        assert code in done.stderr
        assert not (qaic_project / "out").exists(), script


def test_qaic_without_an_sdk_names_the_way_out(qaic_project: Path, buildtool: Buildtool) -> None:
    done = buildtool("build", "--json", cwd=qaic_project)

    error = json.loads(done.stdout)["error"]
    assert error["message"].startswith('idl-compiler = "qaic" needs the Hexagon SDK')
    assert 'idl-compiler = "buildtool"' in error["remedy"]


def test_a_stand_in_without_qaic_names_the_way_out(
    qaic_project: Path,
    stand_in_sdk: MakeSdk,
    buildtool: Buildtool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk("6.4.0.2", trimmed=True)))

    done = buildtool("build", "--json", cwd=qaic_project)

    error = json.loads(done.stdout)["error"]
    assert "has no qaic that runs on this machine" in error["message"]
    assert 'idl-compiler = "buildtool"' in error["remedy"]


SKEL_ONLY = {
    "buildtool.toml": """
[project]
name = "demo"
[skel.demo]
source = "dsp"
[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]
""",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(demo C)
add_library(demo_skel SHARED skel.c)
install(TARGETS demo_skel LIBRARY DESTINATION .)
""",
    "dsp/skel.c": "int demo_skel_invoke(void) { return 0; }\n",
}


@pytest.mark.long
def test_auto_takes_a_stand_in_for_all_archs_or_open_llvm(
    tmp_path: Path, stand_in_sdk: MakeSdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path / "a project")
    project.lay_out(SKEL_ONLY)

    def profiles() -> set[str]:
        return {step["profile"] for step in project.steps()}

    assert profiles() == {"hexagon-v68"}
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk("5.5.0.1")))
    assert profiles() == {"hexagon-v68-sdk5.5.0.1"}
    project.edit("buildtool.toml", 'archs = ["v68"', 'archs = ["v68", "v81"')
    assert profiles() == {"hexagon-v68", "hexagon-v81"}


def test_a_stand_in_sdk_is_not_used_with_sanitize(
    third_party: Path,
    stand_in_sdk: MakeSdk,
    buildtool: Buildtool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sdk = stand_in_sdk("5.5.0.1")
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(sdk))

    done = buildtool("run", "sim", "--sanitize", cwd=third_party)

    assert done.returncode == 125
    assert "error: --sanitize needs skels that open LLVM compiles" in done.stderr
    assert f"the Hexagon SDK in {sdk} compiles them" in done.stderr
    assert 'Set dsp-toolchain = "llvm" for the target' in done.stderr
