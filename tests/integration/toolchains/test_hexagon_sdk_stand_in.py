"""The SDK's profile with stand-in SDKs, which contain no code of the vendor."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from buildtool.contract.build_checks import ContractError, check_dsp_files, check_skel
from buildtool.core.elf.read import read_elf
from buildtool.sdk.hexagon_sdk import HexagonSdk, probe_hexagon_sdk
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.sdk.tool_search import ToolUnfitError
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.select_profiles import hexagon_sdk, with_qaic
from tests.standins.fixtures import MakeSdk
from tests.standins.hexagon_sdk import make_sdk

from .conftest import PlainCMake

LONG = pytest.mark.long
# The other versions and archs have the layout and the options of one of the first four.
PLACES = [
    ("4.4.0.0", False, "v68"),
    ("6.4.0.2", True, "v79"),
    pytest.param("5.5.0.1", False, "v73", marks=LONG),
    pytest.param("6.6.0.0", False, "v81", marks=LONG),
    pytest.param("5.5.0.1", False, "v68", marks=LONG),
    pytest.param("6.2.0.1", False, "v68", marks=LONG),
    pytest.param("6.4.0.2", False, "v68", marks=LONG),
    pytest.param("6.4.0.2", False, "v75", marks=LONG),
    pytest.param("6.6.0.0", True, "v69", marks=LONG),
]
C = """\
#include <HAP_farf.h>
#include <qurt.h>
#include <remote.h>
#include <stdlib.h>
int part(int *room);
int demo_skel_handle_invoke(remote_handle64 h, uint32_t sc, remote_arg *pra) {
    int *room = malloc(sc);
    FARF(HIGH, "%p of %p", (void *)room, (void *)pra);
    int result = room ? part(room) : (int)h;
    free(room);
    return result;
}
"""
PART = "int part(int *room) { return *room = 1; }"
THROWS = """\
#include <stdexcept>
#include <string>
struct Base { virtual ~Base() = default; };
struct Op : Base { std::string name; };
extern "C" int throws_skel_invoke(int x) {
    try {
        if (x < 0) throw std::runtime_error("negative");
        Base *base = new Op; Op *op = dynamic_cast<Op *>(base); delete op;
        return x;
    } catch (const std::exception &) { return -1; }
}
"""


def sdk_in(root: Path) -> HexagonSdk:
    sdk = probe_hexagon_sdk(root)
    assert sdk is not None
    return sdk


@pytest.mark.parametrize(("version", "trimmed", "arch"), PLACES)
def test_skels_of_a_stand_in(
    version: str, trimmed: bool, arch: str, stand_in_sdk: MakeSdk, plain_cmake: PlainCMake
) -> None:
    """In C, and in C++ with exceptions, which needs the runtime."""
    profile = hexagon_sdk(arch, sdk_in(stand_in_sdk(version, trimmed=trimmed)))
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C CXX)\n"
        "add_library(part STATIC part.c)\nadd_library(demo_skel SHARED skel.c)\n"
        "target_link_libraries(demo_skel PRIVATE part)\n"
        "add_library(throws_skel SHARED throws.cpp)",
        skel_c=C,
        part_c=PART,
        throws_cpp=THROWS,
    )

    tree, output = plain_cmake.build(profile, path="/usr/bin:/bin")

    elf = check_skel(tree / "libdemo_skel.so", arch)
    assert set(elf.needed) <= {"libc.so", "libgcc.so"}
    assert {"__wrap_malloc", "__wrap_free"} <= elf.imports
    compiled = next(line for line in output.splitlines() if "skel.c.o" in line and " -c " in line)
    for flag in (f"-mcpu=hexagon{arch}", f"-mhvx={arch}", "-mhvx-length=128B", "-G0", "-O2"):
        assert f" {flag} " in compiled
    assert "-mhmx" not in compiled, "sources that use HMX ask for it themselves"

    skel = tree / "libthrows_skel.so"
    runtime = list(profile.runtime.values())
    elf = check_skel(skel, arch, runtime)
    assert "libc++.so.1" in elf.needed
    assert "__cxa_throw" in elf.imports
    check_dsp_files({library.name: library for library in runtime}, arch)
    assert {read_elf(library).soname for library in runtime} == set(profile.runtime)
    without_abi = [file for file in runtime if file.name == "libc++.so.1"]
    check_skel(skel, arch, without_abi)  # the device may provide libc++abi.so.1


def test_a_skel_of_a_stand_in_finds_the_names_of_its_own_libraries(
    stand_in_sdk: MakeSdk, plain_cmake: PlainCMake
) -> None:
    profile = hexagon_sdk("v73", sdk_in(stand_in_sdk("6.4.0.2")))
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "add_library(part SHARED part.c)\nadd_library(demo_skel SHARED skel.c)\n"
        "target_link_libraries(demo_skel PRIVATE part)",
        skel_c=C,
        part_c=PART,
    )
    tree, _ = plain_cmake.build(profile, path="/usr/bin:/bin")
    skel, part = tree / "libdemo_skel.so", tree / "libpart.so"

    assert "libpart.so" in check_skel(skel, "v73", [part]).needed
    other = plain_cmake.root / part.name
    shutil.copy(profile.runtime["libc++.so.1"], other)
    with pytest.raises(
        ContractError, match=r"needs part, which no known v73 DSP shell exports, nor does lib"
    ):
        check_skel(skel, "v73", [other, *profile.runtime.values()])


@pytest.mark.long
def test_debug_builds_of_a_stand_in_are_optimised(
    stand_in_sdk: MakeSdk, plain_cmake: PlainCMake
) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C CXX)\n"
        "add_library(demo_skel SHARED part.c more.cpp)",
        part_c=PART,
        more_cpp="int more;",
    )
    profile = hexagon_sdk("v68", sdk_in(stand_in_sdk("5.5.0.1")))

    _, output = plain_cmake.build(profile, "-DCMAKE_BUILD_TYPE=Debug", path="/usr/bin:/bin")

    compiled = [line for line in output.splitlines() if " -c " in line]
    assert len(compiled) == 2
    assert all(" -O2" in line and " -O0" not in line for line in compiled)


def test_headers_are_the_stand_in_s_own(stand_in_sdk: MakeSdk, plain_cmake: PlainCMake) -> None:
    """find_package(Buildtool) adds its open headers to a skel only if no SDK is used."""
    root = stand_in_sdk("6.4.0.2")
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "find_package(Buildtool REQUIRED)\n"
        "buildtool_add_skel(demo_skel IDL demo.idl SOURCES imp.c)",
        demo_idl="interface demo { long add(in long a); };",
        imp_c='#include "demo.h"\n#include <qurt.h>\n#include <HAP_perf.h>\n'
        "int demo_add(int a) { return a + (int)sizeof(qurt_mutex_t); }",
    )

    tree, _ = plain_cmake.build(hexagon_sdk("v73", sdk_in(root)), path="/usr/bin:/bin")

    check_skel(tree / "libdemo_skel.so", "v73")
    deps = plain_cmake.tool([find_cmake().ninja, "-C", tree, "-t", "deps"], "/usr/bin:/bin")
    read = {Path(line.strip()).name: line.strip() for line in deps.splitlines()}
    for header in ("qurt.h", "HAP_perf.h", "remote.h", "AEEStdErr.h"):
        assert read[header].startswith(str(root)), read[header]


def test_a_stand_in_without_the_arch_is_refused(stand_in_sdk: MakeSdk) -> None:
    with pytest.raises(ToolUnfitError, match="cannot build skels for v81") as caught:
        hexagon_sdk("v81", sdk_in(stand_in_sdk("5.5.0.1")))
    assert "v68, v69, v73" in caught.value.why


def test_a_damaged_stand_in_is_reported(tmp_path: Path) -> None:
    root = make_sdk(tmp_path / "6.4.0.2", "6.4.0.2")
    (root / "tools/HEXAGON_Tools/19.0.04/Tools/bin/hexagon-clang").chmod(0o644)

    with pytest.raises(ToolUnfitError) as caught:
        hexagon_sdk("v73", sdk_in(root))

    assert "hexagon-clang is not executable" in caught.value.why
    assert "chmod +x" in caught.value.remedy


def test_a_replaced_compiler_of_a_stand_in_is_another_profile(tmp_path: Path) -> None:
    root = make_sdk(tmp_path / "6.4.0.2", "6.4.0.2")
    before = hexagon_sdk("v73", sdk_in(root)).digest
    clang = root / "tools/HEXAGON_Tools/19.0.04/Tools/bin/hexagon-clang"
    clang.touch()
    assert hexagon_sdk("v73", sdk_in(root)).digest == before

    clang.write_text(clang.read_text() + "# another\n")

    assert hexagon_sdk("v73", sdk_in(root)).digest != before


def test_qaic_of_a_stand_in_is_part_of_a_profile_that_uses_it(tmp_path: Path) -> None:
    root = make_sdk(tmp_path / "6.4.0.2", "6.4.0.2")
    plain = hexagon("v68")
    before = with_qaic(plain, sdk_in(root)).digest
    assert before != plain.digest
    assert with_qaic(plain, sdk_in(root)).digest == before

    qaic = root / "ipc/fastrpc/qaic/bin/qaic"
    qaic.write_text(qaic.read_text() + "# another\n")

    assert with_qaic(plain, sdk_in(root)).digest != before
