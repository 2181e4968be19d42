"""C++20 and newer with CMake's policies of 3.28: builds without a scanner for modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.profile import Profile

from .conftest import PlainCMake

LISTING = """\
cmake_minimum_required(VERSION 3.28)
project(ranges CXX)
set(CMAKE_CXX_STANDARD {standard})
add_library(ranges STATIC ranges.cpp)
"""
SOURCE = """\
#include <array>
template <typename T> concept Number = requires(T a) { a + a; };
int sum(int a);
int sum(int a) {
    std::array<int, 2> all{a, 1};
    auto same = []<Number T>(T x) { return x; };
    return same(all[0]);
}
"""


@pytest.fixture
def scanner(tmp_path: Path) -> Path:
    """The directory of a clang-scan-deps of the build machine, which leaves a trace."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("clang-scan-deps", "clang-scan-deps-22"):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho used >'{tmp_path}/used'\nexit 1\n")
        program.chmod(0o755)
    return folder


@pytest.mark.parametrize("standard", [20, 23, 26])
@pytest.mark.parametrize("side", [ubuntu_aarch64, lambda: hexagon("v68")])
def test_it_builds_without_the_scanner_of_the_build_machine(
    side: object, standard: int, scanner: Path, plain_cmake: PlainCMake
) -> None:
    assert callable(side)
    profile: Profile = side()
    plain_cmake.write(
        CMakeLists_txt=LISTING.format(standard=standard),
        ranges_cpp=SOURCE,
    )

    _, output = plain_cmake.build(profile, path=str(scanner))

    assert "Scanning" not in output
    assert "scan-deps" not in output
    assert not (scanner.parent / "used").exists()


def test_the_file_of_a_project_with_rules_for_its_compiler_is_read(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.28)\n"
        'set(CMAKE_USER_MAKE_RULES_OVERRIDE_CXX "${CMAKE_CURRENT_SOURCE_DIR}/rules.cmake")\n'
        'project(demo CXX)\nmessage(STATUS "rules: ${OWN_RULES}")\n',
        rules_cmake="set(OWN_RULES read)\n",
    )

    _, output = plain_cmake.build(ubuntu_aarch64())

    assert "-- rules: read" in output
