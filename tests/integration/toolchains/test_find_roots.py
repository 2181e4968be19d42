"""The find_…() commands find the project's own files with every profile, and no library of this
machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.project.model import Tool
from buildtool.sdk.hexagon_sdk import HexagonSdk, probe_hexagon_sdk
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.arm64 import android, ubuntu_aarch64
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.select_profiles import hexagon_sdk
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_clang, ubuntu_aarch64_gcc

from .conftest import PlainCMake

LISTING = """\
cmake_minimum_required(VERSION 3.22)
project(demo C)
set(third "${CMAKE_CURRENT_SOURCE_DIR}/third")
find_path(path deep/deep.h PATHS "${third}/include")
find_path(hints deep/deep.h HINTS third/include NO_DEFAULT_PATH)
find_file(file deep.h PATHS "${third}/include/deep")
find_library(library deep PATHS "${third}" PATH_SUFFIXES lib)
set(near_DIR "${third}/cmake")
find_package(near CONFIG)
find_package(far CONFIG PATHS "${third}")
find_package(Given CONFIG)
file(WRITE "${CMAKE_BINARY_DIR}/made/include/made.h" "")
find_path(made made.h HINTS "${CMAKE_BINARY_DIR}/made" PATH_SUFFIXES include)
find_path(beside beside.h PATHS "${CMAKE_CURRENT_SOURCE_DIR}/../beside")
find_library(c NAMES c m z PATHS /usr/lib/x86_64-linux-gnu /usr/local/lib)
find_path(machine only_here.h PATHS "@HERE@/include")
find_package(Tool CONFIG)
find_package(Cached CONFIG)
find_library(own own)
find_program(tool tool)
foreach(name path hints file library near_FOUND far_FOUND Given_FOUND made beside c machine
        Tool_FOUND Cached_FOUND own tool)
  message(STATUS "<${name}=${${name}}>")
endforeach()
"""


@pytest.fixture(params=["zig", "gcc", "clang", "ndk", "hexagon", "hexagon-sdk"])
def profile(request: pytest.FixtureRequest) -> Profile:
    makers: dict[str, Callable[[], Profile]] = {
        "zig": ubuntu_aarch64,
        "gcc": ubuntu_aarch64_gcc,
        "clang": ubuntu_aarch64_clang,
        "ndk": lambda: android(31, ndk_requirement=Tool(path=str(stand_in("stand_in_ndk")))),
        "hexagon": lambda: hexagon("v68"),
        "hexagon-sdk": lambda: hexagon_sdk("v68", sdk(stand_in("stand_in_sdk"))),
    }

    def stand_in(name: str) -> Path:
        path: Path = request.getfixturevalue(name)()
        return path

    def sdk(root: Path) -> HexagonSdk:
        found = probe_hexagon_sdk(root)
        assert found
        return found

    return makers[request.param]()


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")


def test_a_project_finds_its_own_files_and_none_of_this_machine(
    profile: Profile, plain_cmake: PlainCMake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plain_cmake.root
    write(root / "third", "include/deep/deep.h", "lib/libdeep.a", "cmake/nearConfig.cmake")
    write(root / "third", "lib/cmake/far/farConfig.cmake")
    write(root / "given", "lib/cmake/Given/GivenConfig.cmake")
    write(tmp_path, "beside/beside.h", "here/include/only_here.h")
    write(root, "env/lib/cmake/Tool/ToolConfig.cmake", "native/cached/CachedConfig.cmake")
    write(root, "lib/libown.a")
    write(root, "env/bin/tool")
    (root / "env/bin/tool").chmod(0o755)
    registry = tmp_path / ".cmake/packages/Cached/0"
    write(registry.parent, "0")
    registry.write_text(str(root / "native/cached"))
    monkeypatch.setenv("HOME", str(tmp_path))
    plain_cmake.write(CMakeLists_txt=LISTING.replace("@HERE@", str(tmp_path / "here")))

    tree, output = plain_cmake.build(
        profile,
        f"-DBUILDTOOL_PREFIX_MAP={tmp_path / 'beside'}=.",
        f"-DCMAKE_PREFIX_PATH={root}/given",
        path=f"{root}/env/bin:{find_cmake().ninja.parent}:/usr/bin:/bin",
    )

    lines = [line for line in output.splitlines() if line.startswith("-- <")]
    found = dict(line[4:].removesuffix(">").split("=") for line in lines)
    library = found.pop("c")
    assert not library.startswith(("/usr/lib/", "/usr/local/", "/lib/"))
    assert found == {
        "path": f"{root}/third/include",
        "hints": f"{root}/third/include",
        "file": f"{root}/third/include/deep/deep.h",
        "library": f"{root}/third/lib/libdeep.a",
        "near_FOUND": "1",
        "far_FOUND": "1",
        "Given_FOUND": "1",
        "made": f"{tree}/made/include",
        "beside": f"{tmp_path}/beside",
        "machine": "machine-NOTFOUND",
        "Tool_FOUND": "0",
        "Cached_FOUND": "0",
        "own": "own-NOTFOUND",
        "tool": f"{root}/env/bin/tool",
    }
