"""The variables of a target's toolchain file: plain CMake uses them exactly as buildtool does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buildtool.project.model import Header, Project, Target
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.select_profiles import host_profile, skel_profiles
from tests.standins.fixtures import MakeSdk

from .conftest import PlainCMake

LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(passed NONE)
file(WRITE "${CMAKE_BINARY_DIR}/passed.json" "[
\\"${BUILDTOOL_IDL_COMPILER}\\", \\"${BUILDTOOL_QAIC}\\", \\"${BUILDTOOL_QAIC_INCLUDES}\\",
\\"${DSP_VERSION}\\", \\"${PREBUILT_LIB_DIR}\\", \\"${HEXAGON_SDK_ROOT}\\",
\\"$ENV{HEXAGON_SDK_ROOT}\\", \\"$ENV{DEFAULT_TOOLS_VARIANT}\\"]")
"""


def passed_variables(cmake: PlainCMake, profile: Profile, *arguments: str) -> list[str]:
    cmake.write(CMakeLists_txt=LISTS)
    tree, output = cmake.build(profile, *arguments)
    assert "Warning" not in output
    return list(json.loads((tree / "passed.json").read_text()))


@pytest.fixture
def sides(
    stand_in_sdk: MakeSdk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Profile, Profile]:
    """A stand-in SDK, and both profiles of a target whose interfaces are compiled by its qaic."""
    sdk = stand_in_sdk("6.4.0.2")
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(sdk))
    target = Target(platform="ubuntu-aarch64", archs=("v73",), idl_compiler="qaic")
    project = Project(tmp_path, Header(name="p"), {}, {}, {"t": target})
    return sdk, host_profile(project, target), skel_profiles(project, target)["v73"]


def test_both_sides_of_a_target_with_a_stand_in_sdk(
    sides: tuple[Path, Profile, Profile], plain_cmake: PlainCMake
) -> None:
    sdk, host, skel = sides
    qaic = str(sdk / "ipc/fastrpc/qaic/bin/qaic")
    includes = f"{sdk}/incs;{sdk}/incs/stddef"

    end = [str(sdk), str(sdk), "toolv19"]
    assert passed_variables(plain_cmake, host) == [
        "qaic",
        qaic,
        includes,
        "",
        "UbuntuARM_aarch64",
        *end,
    ]
    assert passed_variables(plain_cmake, skel) == [
        "qaic",
        qaic,
        includes,
        "v73",
        "toolv19_v73",
        *end,
    ]


def test_variables_of_the_caller_have_priority(
    sides: tuple[Path, Profile, Profile], plain_cmake: PlainCMake
) -> None:
    _, host, _ = sides

    values = passed_variables(
        plain_cmake, host, "-DPREBUILT_LIB_DIR=mine", "-DBUILDTOOL_IDL_COMPILER=buildtool"
    )

    assert (values[0], values[4]) == ("buildtool", "mine")
