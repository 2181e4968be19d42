"""The stand-in SDK behaves as the tests of the Hexagon profile and third-party CMake require."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from buildtool.sdk.packaged_tools import find_cmake
from tests.standins.fixtures import MakeSdk
from tests.standins.hexagon_sdk import VERSIONS

pytestmark = pytest.mark.long

FLAGS = ("-mcpu=hexagonv73", "-mv73", "-mhvx=v73", "-mhvx-length=128B", "-mhmx", "-G0", "-fpic")
LINK = ("-shared", "-Wl,-Bsymbolic", "-Wl,--no-threads", "-Wl,--wrap=malloc")
THIRD_PARTY = """\
cmake_minimum_required(VERSION 3.22)
project(calc C)
include(${HEXAGON_SDK_ROOT}/build/cmake/hexagon_fun.cmake)
add_library(calc-${DSP_VERSION} SHARED imp.c ${CMAKE_CURRENT_BINARY_DIR}/calc_skel.c)
build_idl(calc.idl calc-${DSP_VERSION})
"""
IDL = '#include "remote.idl"\ninterface calc : remote_handle64 { long one(rout long r); };\n'
IMP = """\
#include "calc.h"
int calc_open(const char *uri, remote_handle64 *h) { *h = 1; return 0; }
int calc_close(remote_handle64 h) { return 0; }
int calc_one(remote_handle64 h, int32_t *r) { *r = 1; return 0; }
"""


def tools(sdk: Path, version: str) -> Path:
    return sdk / "tools" / "HEXAGON_Tools" / VERSIONS[version].tools


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_a_stand_in_sdk_has_qaic_and_a_compiler_of_its_version(
    version: str, stand_in_sdk: MakeSdk
) -> None:
    sdk = stand_in_sdk(version)

    output = run(tools(sdk, version) / "Tools/bin/hexagon-clang", "--version").stdout
    assert output.startswith(f"QuIC LLVM Hexagon Clang version {VERSIONS[version].tools}\n")
    assert os.access(sdk / VERSIONS[version].qaic, os.X_OK)


def test_hexagon_clang_of_a_stand_in_sdk_needs_its_runtime_for_cxx(
    stand_in_sdk: MakeSdk, tmp_path: Path
) -> None:
    clang = tools(stand_in_sdk("5.5.0.1"), "5.5.0.1") / "Tools/bin/hexagon-clang++"
    code = tmp_path / "a.cpp"
    code.write_text("#include <string>\nint a(int n) { if (n) throw std::string(); return n; }")

    done = run(clang, *FLAGS, *LINK, code, "-lc++", "-lc", "-o", tmp_path / "a.so")

    assert done.returncode == 0, done.stderr
    elf = read_elf(tmp_path / "a.so")
    assert (elf.hexagon_arch, set(elf.load_alignments)) == ("v73", {0x1000})
    assert set(elf.needed) == {"libc++.so.1", "libc.so", "libgcc.so"}


def test_an_old_stand_in_sdk_does_not_know_newer_archs(
    stand_in_sdk: MakeSdk, tmp_path: Path
) -> None:
    clang = tools(stand_in_sdk("5.5.0.1"), "5.5.0.1") / "Tools/bin/hexagon-clang"
    (tmp_path / "a.c").write_text("int a;")

    done = run(clang, "-mcpu=hexagonv75", "-c", tmp_path / "a.c", "-o", tmp_path / "a.o")

    assert (done.returncode, done.stderr.split(":")[0]) == (1, "hexagon-clang")


@pytest.mark.parametrize("version", ["5.5.0.1", "6.6.0.0"])
def test_third_party_cmake_builds_with_a_stand_in_sdk(
    version: str, stand_in_sdk: MakeSdk, tmp_path: Path
) -> None:
    sdk, cmake = stand_in_sdk(version), find_cmake()
    for name, text in {"CMakeLists.txt": THIRD_PARTY, "calc.idl": IDL, "imp.c": IMP}.items():
        (tmp_path / name).write_text(text)
    tree = tmp_path / "tree"

    def configure(**environment: str) -> subprocess.CompletedProcess[str]:
        return run(
            *(cmake.program, "-G", "Ninja", "-S", tmp_path, "-B", tree, "-DDSP_VERSION=v73"),
            *(f"-DCMAKE_MAKE_PROGRAM={cmake.ninja}", f"-DHEXAGON_SDK_ROOT={sdk}"),
            f"-DCMAKE_TOOLCHAIN_FILE={sdk}/build/cmake/hexagon_toolchain.cmake",
            f"-DHEXAGON_TOOLS_ROOT={tools(sdk, version)}",
            **environment,
        )

    assert "The environment has no HEXAGON_SDK_ROOT" in configure(HEXAGON_SDK_ROOT="").stderr
    done = configure(HEXAGON_SDK_ROOT=str(sdk))
    assert done.returncode == 0, done.stderr
    built = run(cmake.ninja, "-C", tree)
    assert built.returncode == 0, built.stdout
    elf = read_elf(tree / "libcalc-v73.so")
    assert "calc_skel_handle_invoke" in elf.exports
    assert elf.notes == ()
    first = (tree / "calc_skel.c").read_text().splitlines()[0]
    assert first == f"/* written by the stand-in qaic of Hexagon SDK {version} */"
