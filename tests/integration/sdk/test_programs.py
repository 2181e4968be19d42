"""CMake, Ninja, QEMU, adb and ssh: which one is selected, and the errors for unusable ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.files import SETTLED_NS
from buildtool.project.model import Tool
from buildtool.sdk.device_programs import find_adb, find_ssh
from buildtool.sdk.packaged_tools import find_cmake, find_cmake_program, find_ninja
from buildtool.sdk.program import packaged_program
from buildtool.sdk.qemu import find_qemu
from buildtool.sdk.tool_search import ToolMissingError, ToolUnfitError

Program = Callable[[str, str], Path]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Put a program that runs a line of shell on an otherwise empty PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def write(name: str, line: str) -> Path:
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
        return folder / name

    return write


def test_cmake_is_the_packaged_one_unless_the_project_wants_another(program: Program) -> None:
    newer = program("cmake", "echo cmake version 9.1.0")

    own = packaged_program("cmake")
    assert own
    assert find_cmake_program().where == own.program
    assert find_cmake_program(Tool(version=">=9")).where == newer
    assert find_cmake_program(Tool(version="9.1")).version == "9.1.0"
    with pytest.raises(ToolUnfitError, match="requires CMake '10'") as caught:
        find_cmake_program(Tool(version="10"))
    assert "9.1.0 in" in caught.value.why
    assert "or change 'version' there" in caught.value.remedy


def test_an_old_cmake_is_refused(program: Program) -> None:
    old = program("old-cmake", "echo cmake version 3.10.2")

    with pytest.raises(ToolUnfitError, match=r"version 3\.10\.2 is older than 3\.22"):
        find_cmake(Tool(path=str(old)))


def test_ninja_of_the_project_drives_the_build(program: Program) -> None:
    own = program("my-ninja", "echo 1.13.0.git")

    assert find_cmake(ninja_requirement=Tool(path=str(own))).ninja == own
    packaged_ninja = packaged_program("ninja")
    assert packaged_ninja
    assert find_ninja().where == packaged_ninja.program


def test_a_ninja_that_shares_no_jobs_is_refused(program: Program) -> None:
    old = program("old-ninja", "echo 1.12.1")

    with pytest.raises(ToolUnfitError, match=r"version 1\.12\.1 is older than 1\.13") as caught:
        find_cmake(ninja_requirement=Tool(path=str(old)))
    assert "python -m pip install 'ninja>=1.13'" in caught.value.remedy


def test_both_parts_of_qemu_are_looked_for_in_a_directory(program: Program) -> None:
    aarch64 = program("qemu-aarch64", "echo qemu-aarch64 version 10.0.2")
    place = Tool(path=str(aarch64.parent))

    assert "qemu-hexagon was not found" in find_qemu(place).problems[0].text
    hexagon = program("qemu-hexagon", "echo qemu-hexagon version 10.0.2")
    found = find_qemu(place)
    assert (found.aarch64, found.hexagon) == (aarch64, hexagon)
    assert (found.version, found.hexagon_cpu, found.problems) == ("10.0.2", "v73", ())


def test_adb_on_path_comes_before_that_of_an_sdk(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path))
    with pytest.raises(ToolMissingError) as caught:
        find_adb()
    assert f"{tmp_path}/platform-tools/adb" in caught.value.why
    (tmp_path / "platform-tools").mkdir()
    of_sdk = program("adb", "echo Version 36.0.0-1").rename(tmp_path / "platform-tools" / "adb")
    assert (find_adb().where, find_adb().version) == (of_sdk, "36.0.0")
    on_path = program("adb", "echo Version 29.0.6-debian")
    assert find_adb().where == on_path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo Dropbear v2022.83", "it is not OpenSSH: it does not print its version, but: Drop"),
        ("while :; do echo y; done", "prints more than 200 lines"),
        ("exit 1", "but: nothing"),
    ],
)
def test_the_output_of_an_invalid_ssh_is_reported(
    line: str, expected: str, program: Program
) -> None:
    program("ssh", line)

    found = find_ssh()

    assert found.version == "unknown"
    assert expected in found.problems[0].text


def test_a_program_that_cannot_be_started_is_a_problem(program: Program) -> None:
    program("ssh", "").write_bytes(b"\x7fELF nonsense")

    assert "cannot get its version" in find_ssh().problems[0].text


def test_a_replaced_program_is_another_and_a_touched_one_is_not(program: Program) -> None:
    ssh = program("ssh", "echo OpenSSH_9.2p1")
    long_ago = time.time_ns() - 10 * SETTLED_NS
    os.utime(ssh, ns=(long_ago, long_ago))
    before = find_ssh().identity

    ssh.touch()
    assert find_ssh().identity == before
    program("ssh", "echo OpenSSH_9.2p1 # another")
    assert find_ssh().identity != before
