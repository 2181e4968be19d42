"""CTest in a build tree of plain CMake with a profile, without `buildtool test`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from buildtool.project.model import Tool
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.arm64 import android
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_gcc, ubuntu_aarch64_native
from tests.integration.toolchains.conftest import PlainCMake, plain_cmake
from tests.standins.fixtures import MakeNdk

__all__ = ["plain_cmake"]
LISTING = """\
cmake_minimum_required(VERSION 3.16)
project(demo C)
enable_testing()
add_executable(demo demo.c)
add_test(NAME good COMMAND demo)
add_test(NAME here COMMAND "${CMAKE_COMMAND}" -E true)
add_test(NAME crash COMMAND demo crash)
"""
PROGRAM = (
    "#include <stdlib.h>\nint main(int argc, char **argv) { if (argc > 1) abort(); return 0; }\n"
)


def ctest(cmake: PlainCMake, profile: Profile) -> tuple[str, str]:
    """What CTest prints, and the tests of the tree."""
    cmake.write(CMakeLists_txt=LISTING, demo_c=PROGRAM)
    tree, _ = cmake.build(profile, path="/usr/bin:/bin")
    program = find_cmake().program.with_name("ctest")
    done = subprocess.run(
        [program, "--test-dir", tree, "--output-on-failure"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, Path(tree, "CTestTestfile.cmake").read_text("utf-8")


def test_ctest_runs_programs_under_qemu(plain_cmake: PlainCMake) -> None:
    said, _ = ctest(plain_cmake, ubuntu_aarch64_gcc())
    assert "Test #1: good .............................   Passed" in said
    assert "Test #2: here .............................   Passed" in said
    assert "crash (Subprocess aborted)" in said


def test_for_a_stand_in_of_android_it_says_why_not(
    plain_cmake: PlainCMake, stand_in_ndk: MakeNdk
) -> None:
    said, _ = ctest(plain_cmake, android(31, "none", Tool(path=str(stand_in_ndk("r27")))))
    assert "demo cannot run on this machine" in said
    assert "built for Android" in said
    assert "Test #2: here .............................   Passed" in said


def test_a_stand_in_of_a_native_compiler_has_a_test_launcher_only(
    plain_cmake: PlainCMake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    profile = ubuntu_aarch64_native(
        gcc=Tool(path="/usr/bin/aarch64-linux-gnu-gcc"), machine="aarch64"
    )
    _, tests = ctest(plain_cmake, profile)
    assert '/testing/ctest/launch.py" "native" "' in tests
