"""Programs and shared libraries in C++ that zig links have one C++ library together."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_dynamic
from buildtool.drivers.cmake.scan.ninja import read_build_rules
from buildtool.sdk.packaged_tools import find_cmake, usable_zig
from buildtool.sdk.qemu import CROSS_LIBRARIES
from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.system_libraries import SHARED_STL

from .conftest import NO_PROGRAMS, PlainCMake

ACROSS = Path(__file__).parent / "across"
OTHER = """\
#include <exception>
#include <stdexcept>
#include <string>
struct Base { virtual ~Base() {} };
struct Derived : Base {};
extern "C" int use_exceptions() {
    std::exception_ptr kept = std::make_exception_ptr(std::runtime_error("kept"));
    int good = 0;
    try { std::rethrow_exception(kept); }
    catch (const std::exception &error) { good += error.what() == std::string("kept"); }
    kept = nullptr;
    try { good += std::stoi("x"); } catch (const std::invalid_argument &) { good++; }
    Base *base = new Derived;
    good += dynamic_cast<Derived *>(base) != nullptr;
    delete base;
    return good;
}
"""
LIBRARY = """\
cmake_minimum_required(VERSION 3.22)
project(library CXX)
add_library(part SHARED part.cpp)
"""
KINDS = """\
cmake_minimum_required(VERSION 3.22)
project(kinds C CXX)
add_executable(program main.cpp)
if(KIND STREQUAL "C library")
  add_library(part SHARED part.c)
elseif(KIND STREQUAL "C++ library")
  add_library(archive STATIC part.cpp)
  add_subdirectory(below)
elseif(KIND STREQUAL "plugin")
  add_library(part MODULE part.cpp)
endif()
"""


def compile_stl(library: Path) -> None:
    """Compile the shared C++ library as projects with toolchain files of zig do."""
    with tempfile.TemporaryDirectory() as folder:
        tree = configure_library(PlainCMake(Path(folder)))
        subprocess.run([find_cmake().ninja, "-C", tree, "buildtool_shared_stl"], check=True)
        shutil.copy(tree / "buildtool_stl" / SHARED_STL, library)


def configure_library(project: PlainCMake) -> Path:
    """Configure a project of a C++ library, and return its build tree."""
    project.write(CMakeLists_txt=LIBRARY, part_cpp="")
    cmake, tree, toolchain = find_cmake(), project.root / "tree", project.root / "toolchain.cmake"
    toolchain.write_text(ubuntu_aarch64().cmake_toolchain())
    configure: list[str | Path] = [cmake.program, "-G", "Ninja", "-S", project.root, "-B", tree]
    configure += [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DCMAKE_MAKE_PROGRAM={cmake.ninja}"]
    project.tool(configure, NO_PROGRAMS)
    return tree


def run(program: Path, *arguments: str | Path, libraries: str | Path = "") -> tuple[str, int]:
    qemu: list[str | Path] = ["qemu-aarch64", "-L", CROSS_LIBRARIES.parent]
    if libraries:
        qemu += ["-E", f"LD_LIBRARY_PATH={libraries}"]
    ran = subprocess.run(
        [*qemu, program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return ran.stdout, ran.returncode


@pytest.mark.long
def test_exceptions_rtti_streams_and_thread_locals_across_three_libraries(
    plain_cmake: PlainCMake, tmp_path: Path
) -> None:
    """With the toolchain file alone, in the build tree and where it is installed, beside a library
    that uses GCC's C++ library."""
    shutil.copytree(ACROSS, plain_cmake.root, dirs_exist_ok=True)
    other = tmp_path / "libother.so"
    gcc = ["aarch64-linux-gnu-g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(other)]
    subprocess.run(gcc, input=OTHER, text=True, check=True)

    tree, _ = plain_cmake.build(ubuntu_aarch64())

    ran = run(tree / "across", tree / "libplugin.so", other)
    assert ran == ("square 2.5\ngood\n", 0)
    for name in ("across", "libbase.so", "libmiddle.so", "libplugin.so"):
        assert SHARED_STL in read_dynamic(tree / name).needed
    prefix = tmp_path / "prefix"
    plain_cmake.tool([find_cmake().program, "--install", tree, "--prefix", prefix], NO_PROGRAMS)
    ran = run(prefix / "bin/across", libraries=prefix / "lib")
    assert ran == ("square 2.5\ngood\n", 0)
    assert bytes(usable_zig().library.resolve()) not in (prefix / "lib" / SHARED_STL).read_bytes()


def test_each_source_of_the_shared_cxx_library_is_a_job_of_the_build(
    plain_cmake: PlainCMake,
) -> None:
    tree = configure_library(plain_cmake)

    rules = [rule for rule in read_build_rules(tree) if "buildtool_stl" in rule.outputs[0]]
    compiled = [rule.outputs[0] for rule in rules if rule.compiles]
    assert len(rules) == len(compiled) + 1
    assert f"{tree}/buildtool_stl/libcxx-src-filesystem-path.cpp.o" in compiled
    assert f"{tree}/buildtool_stl/libunwind-src-UnwindRegistersSave.S.o" in compiled
    assert not any(rule.is_custom for rule in rules)


def test_which_projects_link_the_shared_cxx_library(plain_cmake: PlainCMake) -> None:
    below = plain_cmake.root / "below"
    prefix = plain_cmake.root / "prefix"
    for folder in (below, prefix / "lib"):
        folder.mkdir(parents=True)
    plain_cmake.write(CMakeLists_txt=KINDS, main_cpp="int main() {}", part_c="", part_cpp="")
    (below / "CMakeLists.txt").write_text(
        'add_library(part SHARED empty.c)\ntarget_link_libraries(part "$<LINK_ONLY:archive>")\n'
    )
    (below / "empty.c").touch()
    (prefix / "lib" / SHARED_STL).touch()
    cmake, tree = find_cmake(), plain_cmake.root / "tree"
    toolchain = plain_cmake.root / "toolchain.cmake"
    toolchain.write_text(ubuntu_aarch64().cmake_toolchain())
    configure: list[str | Path] = [cmake.program, "-G", "Ninja", "-S", plain_cmake.root, "-B", tree]
    configure += [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", f"-DCMAKE_MAKE_PROGRAM={cmake.ninja}"]

    def is_shared(kind: str, stl: str = "auto", needs: str | Path = "") -> bool:
        entries = (f"-DKIND={kind}", f"-DBUILDTOOL_STL={stl}", f"-DCMAKE_PREFIX_PATH={needs}")
        plain_cmake.tool([*configure, *entries], NO_PROGRAMS)
        return "-nostdlib++" in (tree / "build.ninja").read_text()

    assert not is_shared("program")
    assert not is_shared("C library")
    assert is_shared("C++ library")
    assert is_shared("plugin")
    assert is_shared("program", needs=prefix)
    assert is_shared("program", "c++_shared")
    assert not is_shared("C++ library", "c++_static")
    with pytest.raises(AssertionError, match="which is none of the C"):
        is_shared("program", "shared")
