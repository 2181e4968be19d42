"""The open profiles, driven by plain CMake without binutils on PATH."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from buildtool.contract.build_checks import ContractError, check_skel
from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON
from buildtool.core.elf.read import read_elf
from buildtool.project.keys import HEXAGON_ARCHS, arch_number
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.sdk.qemu import CROSS_LIBRARIES
from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_clang, ubuntu_aarch64_gcc

from .conftest import PlainCMake

SKEL = """\
cmake_minimum_required(VERSION 3.22)
project(demo C)
add_library(helper STATIC helper.c)
add_library(demo_skel SHARED skel.c)
target_link_libraries(demo_skel PRIVATE helper)
"""
HVX = """\
#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <stdlib.h>
#include <string.h>

int helper(const void *);
HVX_Vector twice(HVX_Vector v);
HVX_Vector twice(HVX_Vector v) { return Q6_Vw_vadd_VwVw(v, v); }
int demo_skel_handle_invoke(unsigned long long h, unsigned sc, void *args);
int demo_skel_handle_invoke(unsigned long long h, unsigned sc, void *args) {
    void *copy = malloc(sc);
    if (!copy) return (int)h;
    memcpy(copy, args, sc);
    int result = helper(copy) / (int)(sc + 1);
    free(copy);
    return result;
}
"""

HELPER = "int helper(const void *p) { return *(const int *)p; }"


@pytest.mark.parametrize(
    "arch",
    [
        arch if arch in {"v68", "v81"} else pytest.param(arch, marks=pytest.mark.long)
        for arch in HEXAGON_ARCHS
    ],
)
def test_a_skel_is_what_dsp_loaders_want(arch: str, plain_cmake: PlainCMake) -> None:
    plain_cmake.write(CMakeLists_txt=SKEL, skel_c=HVX, helper_c=HELPER)

    tree, output = plain_cmake.build(hexagon(arch))

    elf = check_skel(tree / "libdemo_skel.so", arch)
    assert (elf.machine, elf.flags & 0x3FF) == (EM_HEXAGON, arch_number(arch))
    assert elf.kind == "DYN"
    assert set(elf.load_alignments) == {0x1000}
    assert elf.needed == ()
    assert elf.imports == {"__wrap_malloc", "__wrap_free", "memcpy", "__hexagon_divsi3"}
    assert "-lc " not in output
    assert "libc.so" not in output


NUMBERS = """\
#include <math.h>
int demo_skel_handle_invoke(int n, double x, double y, float f);
int demo_skel_handle_invoke(int n, double x, double y, float f) {
    _Float16 half = (_Float16)x;
    double power = __builtin_powi(x, n) + __builtin_powif(f, n);
    return (int)(fma(x, y, 1) + log2(x) + sqrt(y) + sqrtf(f) + x / y + f / 3 + power + half);
}
"""


@pytest.mark.parametrize("flags", ["", "-ffast-math"])
def test_what_a_skel_computes_comes_from_the_shell(flags: str, plain_cmake: PlainCMake) -> None:
    """zig's compiler-rt has fma() and log2() too, which are wrong for some numbers."""
    plain_cmake.write(CMakeLists_txt=SKEL, skel_c=NUMBERS, helper_c=HELPER)

    tree, _ = plain_cmake.build(hexagon("v68"), f"-DCMAKE_C_FLAGS={flags}")

    imports = check_skel(tree / "libdemo_skel.so", "v68").imports
    assert {"fma", "log2"} <= imports
    prefix = "__hexagon_fast_" if flags else "__hexagon_"
    assert f"{prefix}divdf3" in imports
    assert not imports & {"__powidf2", "__powisf2", "__truncdfhf2"}  # in no shell of v68


@pytest.mark.parametrize(
    "setting",
    [
        "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON",
        "-DCMAKE_C_FLAGS=-flto",
        pytest.param("-DCMAKE_C_FLAGS=-flto=thin", marks=pytest.mark.long),
    ],
)
def test_optimisation_by_the_linker_keeps_the_arch(setting: str, plain_cmake: PlainCMake) -> None:
    plain_cmake.write(CMakeLists_txt=SKEL, skel_c=HVX, helper_c=HELPER)

    tree, output = plain_cmake.build(hexagon("v79"), setting)

    assert output.count(" -flto") >= 2
    elf = check_skel(tree / "libdemo_skel.so", "v79")
    assert elf.flags == 0x79


def test_the_compiler_check_of_a_skel_profile_links_no_libc(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C CXX)")

    tree, output = plain_cmake.build(hexagon("v73"))

    assert "C compiler identification is Clang" in output
    assert "CXX compiler identification is Clang" in output
    for ending in ("c", "cxx"):
        identified = next(tree.glob(f"CMakeFiles/*/CompilerId{ending.upper()}/a.out"))
        assert identified.stat().st_size < 20_000, "a linked libc would be larger"


def test_optimised_builds_are_the_default_even_for_debug(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(CMakeLists_txt=SKEL, skel_c=HVX, helper_c=HELPER)

    _, output = plain_cmake.build(hexagon("v68"), "-DCMAKE_BUILD_TYPE=Debug")

    assert all(" -O2" in line for line in output.splitlines() if " -c " in line)


def test_cxx_without_exceptions_makes_a_skel(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo CXX)\n"
        "add_library(demo_skel SHARED skel.cpp)",
        skel_cpp="#include <algorithm>\n#include <array>\n#include <cstdint>\n"
        "struct Op { virtual int run(int32_t x) { return std::max(x, 1); } };\n"
        'extern "C" int demo_skel_invoke(int x) {\n'
        "    static Op op; std::array<int, 3> a{x, 2, 3}; return op.run(a[unsigned(x) % 3]); }",
    )

    tree, _ = plain_cmake.build(hexagon("v75"))

    assert check_skel(tree / "libdemo_skel.so", "v75").imports == frozenset()


def test_a_skel_with_a_name_no_shell_has_is_refused_by_name(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(
        CMakeLists_txt=SKEL,
        skel_c="int no_such_thing(void);\n"
        "int demo_skel_handle_invoke(void) { return no_such_thing(); }",
        helper_c=HELPER,
    )
    tree, _ = plain_cmake.build(hexagon("v68"))

    with pytest.raises(ContractError, match="needs no_such_thing, which no known v68 DSP shell"):
        check_skel(tree / "libdemo_skel.so", "v68")


def test_a_skel_without_an_entry_is_refused(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(
        CMakeLists_txt=SKEL, skel_c="int other(void) { return 1; }", helper_c="int helper;"
    )
    tree, _ = plain_cmake.build(hexagon("v68"))

    with pytest.raises(ContractError, match="has no entry") as caught:
        check_skel(tree / "libdemo_skel.so", "v68")
    assert "0x80000442" in caught.value.why


def test_a_skel_for_another_arch_is_refused(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(CMakeLists_txt=SKEL, skel_c=HVX, helper_c=HELPER)
    tree, _ = plain_cmake.build(hexagon("v73"))

    with pytest.raises(ContractError, match="is built for v73, not for v68"):
        check_skel(tree / "libdemo_skel.so", "v68")


def test_an_arm64_program_runs_and_needs_no_newer_glibc(plain_cmake: PlainCMake) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "add_library(part STATIC part.c)\nadd_library(dep SHARED dep.c)\n"
        "target_link_libraries(dep PUBLIC $<LINK_LIBRARY:WHOLE_ARCHIVE,part>)\n"
        "add_executable(main main.c)\ntarget_link_libraries(main dep)",
        part_c="int part(void) { return 40; }",
        dep_c="int part(void);\nint dep(void) { return part() + 2; }",
        main_c='#include <stdio.h>\nint dep(void);\nint main(void) { printf("%d\\n", dep()); }',
    )

    tree, _ = plain_cmake.build(ubuntu_aarch64("2.31"))

    assert read_elf(tree / "main").machine == EM_AARCH64
    versions = {
        tuple(map(int, word[6:].split(b".")))
        for word in (tree / "main").read_bytes().split(b"\0")
        if word.startswith(b"GLIBC_2.")
    }
    assert versions
    assert max(versions) <= (2, 31)
    ran = subprocess.run(
        ["qemu-aarch64", "-L", CROSS_LIBRARIES.parent, tree / "main"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "42\n"


@pytest.mark.parametrize(
    "profile",
    [
        ubuntu_aarch64,
        pytest.param(ubuntu_aarch64_gcc, marks=pytest.mark.long),
        pytest.param(ubuntu_aarch64_clang, marks=pytest.mark.long),
    ],
)
def test_an_arm64_program_is_optimised_by_the_linker(
    profile: Callable[[], Profile], plain_cmake: PlainCMake
) -> None:
    """Without an llvm-ar on PATH, which CMake's rules for such archives need."""
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "add_library(part STATIC part.c)\nadd_executable(main main.c)\n"
        "target_link_libraries(main part)",
        part_c="int part(int n) { return n + 2; }",
        main_c="int part(int n);\nint main(int n, char **words) { (void)words; return part(n); }",
    )

    tree, output = plain_cmake.build(profile(), "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON")

    assert output.count(" -flto") >= 3
    command = ["qemu-aarch64", "-L", str(CROSS_LIBRARIES.parent), str(tree / "main")]
    assert subprocess.run(command, check=False).returncode == 3


def test_libraries_of_the_build_machine_are_not_found(plain_cmake: PlainCMake) -> None:
    prefix = plain_cmake.root / "prefix"
    (prefix / "lib" / "cmake" / "Mine").mkdir(parents=True)
    (prefix / "lib" / "cmake" / "Mine" / "MineConfig.cmake").write_text("")
    (prefix / "lib" / "libmine.so").write_text("")
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "find_library(libc c)\nfind_path(stdio stdio.h)\nfind_program(shell sh)\n"
        "find_library(mine mine)\nfind_package(Mine CONFIG)\n"
        'message(STATUS "<${libc}|${stdio}|${shell}|${mine}|${Mine_FOUND}>")'
    )

    _, output = plain_cmake.build(
        ubuntu_aarch64(),
        f"-DCMAKE_PREFIX_PATH={prefix}",
        path=f"{find_cmake().ninja.parent}:/usr/bin:/bin",
    )

    found = output[output.index("<") + 1 : output.index(">")].split("|")
    assert found[0].endswith("NOTFOUND")
    assert found[1].endswith("NOTFOUND")
    assert found[2].endswith("/sh")
    assert found[3:] == [f"{prefix}/lib/libmine.so", "1"]


@pytest.mark.parametrize("side", ["host", "hexagon"])
def test_cmake_finds_ninja_by_itself(side: str, plain_cmake: PlainCMake) -> None:
    plain_cmake.write(CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)")
    profile = ubuntu_aarch64() if side == "host" else hexagon("v68")

    plain_cmake.build(profile, path=str(find_cmake().ninja.parent))
