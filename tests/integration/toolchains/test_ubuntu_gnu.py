"""gcc and clang for ARM64 Linux, driven by plain CMake with an empty PATH, and run under QEMU."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.elf.file import EM_AARCH64
from buildtool.core.elf.read import read_elf
from buildtool.sdk.gnu_compilers import find_gcc
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.sdk.qemu import CROSS_LIBRARIES
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.ubuntu_aarch64_gnu import (
    ubuntu_aarch64_clang,
    ubuntu_aarch64_gcc,
    ubuntu_aarch64_native,
)

from .conftest import PlainCMake

COMPILERS = (ubuntu_aarch64_gcc, ubuntu_aarch64_clang)
ID = {"gcc": "GNU 12", "clang": "Clang 14"}
C = """\
cmake_minimum_required(VERSION 3.22)
project(demo C ASM)
add_library(part STATIC part.c nothing.s)
add_library(base SHARED base.c)
add_library(dep SHARED dep.c)
target_link_libraries(dep PRIVATE base PUBLIC $<LINK_LIBRARY:WHOLE_ARCHIVE,part>)
add_executable(main main.c)
target_link_libraries(main dep m)
"""
CXX = """\
cmake_minimum_required(VERSION 3.22)
project(demo CXX)
find_package(Threads REQUIRED)
add_library(thrower SHARED thrower.cpp)
add_executable(main main.cpp)
target_link_libraries(main thrower Threads::Threads)
"""
THROWER = """\
#include <stdexcept>
#include <string>
void thrower(int n) { throw std::runtime_error("thrown " + std::to_string(n)); }
"""
CATCHER = """\
#include <cstdlib>
#include <exception>
#include <iostream>
#include <thread>
void thrower(int n);
int main() {
    std::string message;
    std::thread([&] { try { thrower(7); } catch (const std::exception &e) { message = e.what(); } })
        .join();
    std::cout << message << std::endl;
    return EXIT_SUCCESS;
}
"""


def run(program: Path) -> str:
    done = subprocess.run(
        ["qemu-aarch64", "-L", CROSS_LIBRARIES.parent, program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.mark.parametrize("compiler", COMPILERS)
def test_c_with_assembler_and_a_library_that_needs_another(
    compiler: Callable[[], Profile], plain_cmake: PlainCMake
) -> None:
    plain_cmake.write(
        CMakeLists_txt=C,
        nothing_s='.section .note.GNU-stack,"",%progbits\n',
        part_c="int part(void) { return 38; }",
        base_c="int base(void) { return 2; }",
        dep_c="int part(void);\nint base(void);\nint dep(void) { return part() + base(); }",
        main_c="#include <math.h>\n#include <stdio.h>\nint dep(void);\n"
        'int main(int n, char **v) { (void)v; printf("%d\\n", dep() + (int)sqrt(4.0 * n)); }',
    )

    tree, output = plain_cmake.build(compiler())

    profile = compiler()
    assert f"C compiler identification is {ID[profile.compiler.kind]}" in output
    assert {read_elf(tree / name).machine for name in ("main", "libdep.so")} == {EM_AARCH64}
    assert run(tree / "main") == "42\n"


@pytest.mark.long
@pytest.mark.parametrize(  # clang takes the C++ library of gcc
    "compiler",
    [ubuntu_aarch64_clang, pytest.param(ubuntu_aarch64_gcc, marks=pytest.mark.long)],
)
def test_cxx_throws_across_a_library_and_a_thread(
    compiler: Callable[[], Profile], plain_cmake: PlainCMake
) -> None:
    plain_cmake.write(CMakeLists_txt=CXX, thrower_cpp=THROWER, main_cpp=CATCHER)

    tree, _ = plain_cmake.build(compiler())

    assert run(tree / "main") == "thrown 7\n"
    assert "libstdc++.so.6" in read_elf(tree / "main").needed


@pytest.mark.long
@pytest.mark.parametrize("compiler", COMPILERS)
def test_flags_of_the_project_s_own_take_nothing_away(
    compiler: Callable[[], Profile], plain_cmake: PlainCMake
) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "add_executable(main main.c)",
        main_c="#include <stdio.h>\nint main(void) { puts(GREETING); }",
    )

    tree, output = plain_cmake.build(
        compiler(), '-DCMAKE_C_FLAGS=-DGREETING="\\"hello\\""', "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-s"
    )

    assert run(tree / "main") == "hello\n"
    assert "warning" not in output.lower()


@pytest.mark.parametrize("compiler", COMPILERS)
def test_headers_and_libraries_of_the_build_machine_are_not_seen(
    compiler: Callable[[], Profile], plain_cmake: PlainCMake
) -> None:
    ours = sorted(p.name for p in Path("/usr/include").glob("*.h"))
    theirs = {p.name for p in (CROSS_LIBRARIES.parent / "include").glob("*.h")}
    only_here = next(name for name in ours if name not in theirs)
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "include(CheckIncludeFile)\n"
        f'check_include_file("{only_here}" here)\ncheck_include_file("stdio.h" libc)\n'
        "find_library(math m)\nfind_program(shell sh)\n"
        'message(STATUS "<${here}|${libc}|${math}|${shell}>")'
    )

    _, output = plain_cmake.build(compiler(), path=f"{find_cmake().ninja.parent}:/usr/bin:/bin")

    found = output[output.index("<") + 1 : output.index(">")].split("|")
    assert found[:2] == ["", "1"]
    assert found[2].startswith(str(CROSS_LIBRARIES))
    assert found[3].endswith("/sh")


@pytest.mark.long
def test_native_is_no_cross_build(plain_cmake: PlainCMake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cross gcc stands in for the native gcc of an ARM64 machine."""
    monkeypatch.setenv("BUILDTOOL_GCC_AARCH64", str(find_gcc().where))
    plain_cmake.write(
        CMakeLists_txt=CXX + 'message(STATUS "<${CMAKE_CROSSCOMPILING}>")\n',
        thrower_cpp=THROWER,
        main_cpp=CATCHER,
    )

    tree, output = plain_cmake.build(ubuntu_aarch64_native(machine="aarch64"))

    assert "<FALSE>" in output
    assert run(tree / "main") == "thrown 7\n"
