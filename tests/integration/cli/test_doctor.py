"""`buildtool doctor` reports what is found, what is missing, and the errors of a build."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.flow.targets import make_plan
from buildtool.project.read import find_project
from buildtool.toolchains import survey as surveys
from tests.command_line import Buildtool, Edit
from tests.standins.fixtures import MakeNdk, MakeSdk

VARIABLES = (
    *("ANDROID_NDK_ROOT", "ANDROID_NDK_HOME", "ANDROID_NDK", "ANDROID_HOME", "ANDROID_SDK_ROOT"),
    *("HEXAGON_SDK_ROOT", "HEXAGON_TOOLS_ROOT", "DEFAULT_HEXAGON_TOOLS_ROOT"),
    *("BUILDTOOL_GCC_AARCH64", "BUILDTOOL_CLANG"),
)
PHONE = '\n[target.phone]\nplatform = "android"\narchs = ["v73"]\ndsp-toolchain = "sdk"\n'
GCC = '\n[target.board]\nplatform = "ubuntu-aarch64"\ntoolchain = "gcc"\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory; variables that name tools are unset."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))


def add(project: Path, text: str) -> None:
    file = project / "buildtool.toml"
    file.write_text(file.read_text() + text)


def survey_here(project: Path) -> dict[str, Any]:
    """What `doctor --json` prints, without starting a process."""
    return {**surveys.survey(find_project(project)).as_json()}


def survey(buildtool: Buildtool, project: Path, *, status: int = 0) -> dict[str, Any]:
    done = buildtool("doctor", "--json", cwd=project)
    assert done.returncode == status, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def row(document: dict[str, Any], platform: str, toolchain: str) -> dict[str, Any]:
    found = [
        row
        for row in document["tools"]
        if (row["platform"], row["toolchain"]) == (platform, toolchain)
    ]
    assert len(found) == 1
    result: dict[str, Any] = found[0]
    return result


def target(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in document["targets"] if row["name"] == name)
    return found


def test_a_fresh_project_can_be_built(project: Path, buildtool: Buildtool) -> None:
    done = buildtool("doctor", cwd=project)

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in done.stdout
    assert lines[1].split()[:4] == ["ubuntu-aarch64", "zig", "ready", "0.17.1"]
    assert "sim     yes        ubuntu-aarch64-glibc2.35, hexagon-v68" in lines
    assert "demo: 1 of 1 target can be built here." in lines


@pytest.mark.usefixtures("no_programs")
def test_missing_tools_are_reported_with_a_remedy(project: Path, buildtool: Buildtool) -> None:
    done = buildtool("doctor", cwd=project)

    assert done.returncode == 0, "zig needs no program on PATH"
    text = " ".join(done.stdout.split())
    assert "gcc missing" in text
    assert "Not ready, and not needed to build demo:" in text
    assert "gcc for ARM64 Linux was not found → Install it: apt-get install g++-aarch64" in text
    assert "qemu-aarch64 was not found → Install it: apt-get install qemu-user" in text
    assert "adb was not found → Install it: apt-get install adb" in text
    assert "ssh was not found → Install it: apt-get install openssh-client" in text
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.usefixtures("no_programs")
def test_a_target_whose_compiler_is_missing_cannot_be_built(
    project: Path, buildtool: Buildtool
) -> None:
    add(project, GCC)

    done = buildtool("doctor", cwd=project)

    assert done.returncode == 1
    text = " ".join(done.stdout.split())
    assert "board no – gcc for ARM64 Linux was not found searched:" in text
    assert "$BUILDTOOL_GCC_AARCH64 (not set)" in text
    assert "demo: 1 of 2 targets can be built here." in text
    assert text.count("gcc for ARM64 Linux was not found") == 1


@pytest.mark.usefixtures("no_programs")
@pytest.mark.parametrize(
    ("change", "variable"),
    [
        ('[target.other]\nplatform = "ubuntu-aarch64"\n', ""),
        (GCC, ""),
        (GCC.replace("gcc", "native"), ""),
        (PHONE, "ANDROID_NDK_ROOT"),
        ('[target.other]\nplatform = "ubuntu-aarch64"\narchs = ["v68"]\n', "HEXAGON_SDK_ROOT"),
        ('[target.other]\nplatform = "ubuntu-aarch64"\nglibc = "3"\n', ""),
        ('[target.other]\nplatform = "ubuntu-aarch64"\n[tool.zig]\nversion = ">=99"\n', ""),
        ('[target.other]\nplatform = "ubuntu-aarch64"\nsysroot = "nowhere"\n', ""),
        ('[target.other]\nplatform = "ubuntu-aarch64"\nidl-compiler = "qaic"\n', ""),
    ],
)
def test_doctor_reports_the_same_as_a_build(
    change: str, variable: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv(variable, "/nonexistent")
    add(project, change)
    name = "phone" if change == PHONE else "board" if "board" in change else "other"
    error: BuildtoolError | None = None
    try:
        make_plan(find_project(project), name)
    except BuildtoolError as raised:
        error = raised

    found = target(survey_here(project), name)

    assert found["buildable"] == (error is None)
    if error:
        fault = {"what": error.message, "why": error.why, "remedy": error.remedy}
        assert fault in list(found["faults"])


def test_cmake_of_a_wrong_version_stops_builds_and_doctor_tells(
    project: Path, buildtool: Buildtool
) -> None:
    add(project, '[tool.cmake]\nversion = ">=90"\n')

    built = buildtool("build", cwd=project)
    document = survey(buildtool, project, status=1)

    what = "the project requires CMake '>=90', which was not found"
    assert (row(document, "build", "cmake")["state"], built.returncode) == ("unfit", 1)
    assert [fault["what"] for fault in target(document, "sim")["faults"]] == [what]
    assert f"error: {what}" in built.stderr


def test_a_file_that_is_not_a_program_is_unfit(project: Path, buildtool: Buildtool) -> None:
    fake = project / "fake"
    fake.write_text("#!/bin/sh\necho hello\n")
    fake.chmod(0o755)
    add(project, "".join(f'[tool.{name}]\npath = "fake"\n' for name in ("ninja", "adb", "ssh")))

    document = survey(buildtool, project, status=1)

    for platform, toolchain in (("build", "ninja"), ("device", "adb"), ("device", "ssh")):
        found = row(document, platform, toolchain)
        assert (found["state"], found["where"]) == ("unfit", str(fake))
        assert "it does not print its version, but: hello" in found["faults"][0]["what"]


def test_stand_ins_of_what_debugs_on_sim(project: Path, buildtool: Buildtool) -> None:
    answers = {"lldb-14": "lldb version 14.0.6", "qemu-aarch64": "version 7.2.22"}
    answers["qemu-hexagon"] = answers["qemu-aarch64"]
    for name, answer in answers.items():
        program = project / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {answer}\n")
        program.chmod(0o755)

    path = f"{project}/bin:{os.environ['PATH']}"
    done = buildtool("doctor", "--json", cwd=project, environment={"PATH": path})

    document = json.loads(done.stdout)
    lldb, qemu = row(document, "debug", "lldb"), row(document, "debug", "qemu")
    assert (qemu["state"], qemu["version"]) == ("unfit", "7.2.22")
    assert "run --debug needs QEMU 8.1 or newer" in qemu["faults"][0]["what"]
    assert (lldb["state"], bool(lldb["version"])) == ("ready", True)  # the newest on PATH
    assert target(document, "sim")["buildable"]


@pytest.mark.parametrize("name", ["cmake", "ninja", "qemu", "adb", "ssh"])
def test_a_path_in_the_project_file_that_names_nothing_is_an_error(
    name: str, project: Path
) -> None:
    add(project, f'[tool.{name}]\npath = "nowhere"\n')

    found = [row for row in survey_here(project)["tools"] if row["state"] == "missing"]

    texts = [fault["what"] for row in found for fault in row["faults"]]
    assert any(
        text.startswith(f"'path' in buildtool.toml names {project}/nowhere, but") for text in texts
    )


def test_stand_in_ndk_and_sdk_make_a_phone_buildable(
    project: Path,
    buildtool: Buildtool,
    stand_in_ndk: MakeNdk,
    stand_in_sdk: MakeSdk,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add(project, PHONE)
    assert not target(survey(buildtool, project, status=1), "phone")["buildable"]
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(stand_in_ndk("r27")))
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk("6.6.0.0")))

    document = survey(buildtool, project)

    assert row(document, "android", "ndk") == {
        "platform": "android",
        "toolchain": "ndk",
        "state": "ready",
        "version": "27.2.12479018",
        "where": str(stand_in_ndk("r27")),
        "faults": [],
    }
    assert row(document, "hexagon", "sdk")["version"] == "6.6.0.0"
    assert target(document, "phone")["profiles"] == [
        "android-31",
        "hexagon-v73-sdk6.6.0.0",
    ]


@pytest.mark.parametrize(
    ("requirement", "chosen"),
    [
        ("", "6.6.0.0"),
        pytest.param("5.5", "5.5.0.1", marks=pytest.mark.long),
        pytest.param(">=6", "6.6.0.0", marks=pytest.mark.long),
        ("6.4", ""),
    ],
)
def test_one_of_two_stand_in_sdks_is_chosen_by_version(
    requirement: str, chosen: str, project: Path, stand_in_sdk: MakeSdk, home: Path
) -> None:
    place = home / "Qualcomm" / "Hexagon_SDK"
    place.mkdir(parents=True)
    for version in ("5.5.0.1", "6.6.0.0"):
        (place / version).symlink_to(stand_in_sdk(version))
    add(project, '[target.board]\nplatform = "ubuntu-aarch64"\narchs = ["v73"]\n')
    add(project, 'dsp-toolchain = "sdk"\n')
    add(project, f'[tool.hexagon-sdk]\nversion = "{requirement}"\n')

    document = survey_here(project)

    assert row(document, "hexagon", "sdk")["version"] == chosen
    board = target(document, "board")
    assert board["buildable"] == bool(chosen)
    if chosen:
        assert f"hexagon-v73-sdk{chosen}" in board["profiles"]
    else:
        assert "5.5.0.1 in " in board["faults"][0]["why"]
        assert "6.6.0.0 in " in board["faults"][0]["why"]


@pytest.mark.long
def test_a_fault_of_a_ready_stand_in_sdk_is_worth_knowing(
    project: Path, buildtool: Buildtool, stand_in_sdk: MakeSdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk("6.4.0.2", trimmed=True)))

    done = buildtool("doctor", cwd=project)

    assert done.returncode == 0
    assert "Worth knowing:\n    sdk: " in done.stdout


def test_outside_a_project_there_is_no_table_of_targets(
    tmp_path: Path, buildtool: Buildtool
) -> None:
    done = buildtool("doctor", cwd=tmp_path)
    document = survey(buildtool, tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert "target" not in done.stdout
    assert (document["project"], document["targets"]) == (None, [])
    assert [(row["platform"], row["toolchain"]) for row in document["tools"]] == [
        ("ubuntu-aarch64", "zig"),
        ("ubuntu-aarch64", "gcc"),
        ("ubuntu-aarch64", "clang"),
        ("ubuntu-aarch64", "native"),
        ("android", "ndk"),
        ("hexagon", "llvm"),
        ("hexagon", "sdk"),
        ("device", "emulated"),
        ("device", "paths"),
        ("device", "adb"),
        ("device", "ssh"),
        ("debug", "lldb"),
        ("debug", "qemu"),
        ("build", "cmake"),
        ("build", "ninja"),
        ("build", "conan"),
    ]


def test_a_wrong_project_file_is_the_same_error_as_everywhere(
    project: Path, buildtool: Buildtool, edit: Edit
) -> None:
    edit(project / "buildtool.toml", "[target.sim]", "[tarjet.sim]")

    done = buildtool("doctor", "--json", cwd=project)

    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "project"
    assert done.stderr == buildtool("build", cwd=project).stderr
