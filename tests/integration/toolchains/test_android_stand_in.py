"""The Android profile with a stand-in NDK: the settings of its toolchain file, and the results."""

from __future__ import annotations

import re
import shutil
import struct
from pathlib import Path

import pytest

from buildtool.contract.build_checks import ContractError, check_host_files
from buildtool.core.elf.file import EM_AARCH64
from buildtool.core.elf.read import read_elf
from buildtool.project.model import Tool
from buildtool.sdk.android_ndk import SDK_VARIABLES, VARIABLES, ApiError, ndk_libraries
from buildtool.sdk.tool_search import ToolUnfitError
from buildtool.toolchains.arm64 import PAGE, android
from buildtool.toolchains.profile import Profile
from tests.command_line import Buildtool, Edit
from tests.standins.fixtures import MakeNdk

from .conftest import PlainCMake
from .test_shared_stl import ACROSS, compile_stl, run

RELEASES = (
    *(pytest.param(release, marks=pytest.mark.long) for release in ("r25", "r26", "r27", "r28")),
    "r29",
)
PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(demo {languages})
add_library(part SHARED part.c)
target_link_libraries(part PRIVATE log)
add_executable(demo {source})
target_link_libraries(demo PRIVATE part)
file(WRITE "${{CMAKE_BINARY_DIR}}/seen.txt"
     "${{ANDROID_ABI}} ${{ANDROID_PLATFORM}} ${{ANDROID_STL}}\\n"
     "${{CMAKE_FIND_ROOT_PATH_MODE_LIBRARY}} ${{CMAKE_FIND_ROOT_PATH_MODE_PROGRAM}}"
     " ${{BUILDTOOL_PYTHON}} ${{Buildtool_DIR}}\\n")
"""
PART = """\
#include <android/log.h>
#if !defined(__ANDROID__) || __ANDROID_API__ != 31
#error "not for the API level that was asked for"
#endif
int part(void);
int part(void) { return __android_log_print(ANDROID_LOG_INFO, "demo", "%d", 1); }
"""
CXX = 'extern "C" int part(void);\nint main() { return part(); }\n'


@pytest.fixture(autouse=True)
def _no_ndk(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (*VARIABLES, *SDK_VARIABLES):
        monkeypatch.delenv(variable, raising=False)


def profile(root: Path, api: int = 31, stl: str = "c++_static") -> Profile:
    return android(api, stl, Tool(path=str(root)))


def write(cmake: PlainCMake, *, cxx: bool = False) -> None:
    languages, source = ("C CXX", "demo.cpp") if cxx else ("C", "demo.c")
    text = PROJECT.format(languages=languages, source=source)
    cmake.write(CMakeLists_txt=text, part_c=PART, demo_cpp=CXX)
    cmake.write(demo_c="int part(void);\nint main(void) { return part(); }")


@pytest.mark.parametrize("release", RELEASES)
def test_every_stand_in_release_makes_files_for_16_kib_pages(
    release: str, stand_in_ndk: MakeNdk, plain_cmake: PlainCMake
) -> None:
    write(plain_cmake)

    tree, output = plain_cmake.build(profile(stand_in_ndk(release)), path="/usr/bin:/bin")

    for name in ("demo", "libpart.so"):
        elf = read_elf(tree / name)
        assert elf.machine == EM_AARCH64
        assert elf.load_alignments
        assert min(elf.load_alignments) >= PAGE
    assert "liblog.so" in read_elf(tree / "libpart.so").needed
    assert "--target=aarch64-none-linux-android31" in output
    seen, modes = (tree / "seen.txt").read_text().splitlines()
    assert seen == "arm64-v8a android-31 c++_static"
    assert re.fullmatch(r"ONLY NEVER \S+ .+/cmake", modes)


@pytest.mark.long
def test_a_stand_in_that_sets_flags_as_the_older_of_its_toolchain_files_does(
    stand_in_ndk: MakeNdk, plain_cmake: PlainCMake, tmp_path: Path
) -> None:
    """NDKs have two toolchain files; the older one caches the flags before CMake's _INIT."""
    root = tmp_path / "ndk"
    shutil.copytree(stand_in_ndk("r26"), root, symlinks=True)
    file = root / "build/cmake/android.toolchain.cmake"
    older = re.sub(
        r"set\((CMAKE_\w+_LINKER_FLAGS)_INIT (.+)\)",
        r'set(\1 "" CACHE STRING "")\nset(\1 \2)',
        file.read_text(),
    )
    assert older != file.read_text()
    file.write_text(older)
    write(plain_cmake)

    built = profile(root)
    tree, _ = plain_cmake.build(built, path="/usr/bin:/bin")

    check_host_files({"lib/libpart.so": tree / "libpart.so"}, built)


def test_a_stand_in_links_small_pages_by_default(
    stand_in_ndk: MakeNdk, plain_cmake: PlainCMake
) -> None:
    """A project that requests pages of 4 KiB gets them and is refused, so the checks can fail."""
    write(plain_cmake)

    built = profile(stand_in_ndk("r27"))
    tree, _ = plain_cmake.build(
        built,
        "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,-z,max-page-size=4096",
        path="/usr/bin:/bin",
    )

    with pytest.raises(ContractError, match=r"libpart\.so cannot be loaded") as caught:
        check_host_files({"lib/libpart.so": tree / "libpart.so"}, built)
    assert caught.value.code == "page-size"
    assert "aligned to 4096 bytes, not 16384" in caught.value.why


@pytest.mark.long
@pytest.mark.parametrize(
    ("stl", "needed"), [("c++_shared", True), pytest.param("auto", False, marks=pytest.mark.long)]
)
def test_the_cxx_library_of_a_stand_in(
    stl: str, needed: bool, stand_in_ndk: MakeNdk, plain_cmake: PlainCMake
) -> None:
    """The shared library is in C: "auto" links the C++ library into the program."""
    write(plain_cmake, cxx=True)
    chosen = profile(stand_in_ndk("r28"), stl=stl)

    tree, _ = plain_cmake.build(chosen, path="/usr/bin:/bin")

    assert ("libc++_shared.so" in read_elf(tree / "demo").needed) is needed
    assert [*chosen.runtime] == (["libc++_shared.so"] if needed else [])
    assert all(path.is_file() for path in chosen.runtime.values())
    assert (chosen.compiler.kind, chosen.compiler.version) == ("clang", "19")
    assert chosen.compiler.libcxx == ("c++_shared" if needed else "c++_static")


@pytest.mark.long
def test_several_libraries_of_a_stand_in_have_one_cxx_library(
    stand_in_ndk: MakeNdk, plain_cmake: PlainCMake, tmp_path: Path
) -> None:
    """The stand-in has zig's C++ library here, so that the program runs."""
    ndk = tmp_path / "ndk"
    shutil.copytree(stand_in_ndk("r28"), ndk, symlinks=True)
    compile_stl(ndk_libraries(ndk) / "libc++_shared.so")
    shutil.copytree(ACROSS, plain_cmake.root, dirs_exist_ok=True)

    tree, _ = plain_cmake.build(profile(ndk, stl="auto"), path="/usr/bin:/bin")

    for name in ("across", "libbase.so", "libmiddle.so", "libplugin.so"):
        assert "libc++_shared.so" in read_elf(tree / name).needed
    ran = run(tree / "across", libraries=f"{tree}:{tree}/buildtool_stl")
    assert ran == ("square 2.5\ngood\n", 0)
    old = profile(stand_in_ndk("r26"), stl="auto")  # its library is for pages of 4 KiB
    assert old.digest == profile(stand_in_ndk("r26"), stl="c++_static").digest


def test_stand_in_api_levels(stand_in_ndk: MakeNdk) -> None:
    root = stand_in_ndk("r26")
    assert profile(root, 25).digest == profile(root, 24).digest
    assert profile(root, 31).digest != profile(root, 30).digest
    for level in (20, 35):
        with pytest.raises(ApiError, match=f"API {level}") as caught:
            profile(root, level)
        assert "21 to 34" in caught.value.why


def test_a_broken_stand_in_is_refused_with_its_fault(stand_in_ndk: MakeNdk, tmp_path: Path) -> None:
    root = tmp_path / "ndk"
    shutil.copytree(stand_in_ndk("r27"), root, symlinks=True)
    (root / "toolchains/llvm/prebuilt/linux-x86_64/bin/clang").resolve().chmod(0o644)

    with pytest.raises(ToolUnfitError, match=r"cannot be used: .*/clang is not executable"):
        profile(root)


def small_pages(library: Path) -> None:
    """Rewrite the alignment in the program headers to that of an NDK before r27."""
    data = bytearray(library.read_bytes())
    (start,) = struct.unpack_from("<Q", data, 0x20)
    (count,) = struct.unpack_from("<H", data, 0x38)
    for header in range(start, start + count * 56, 56):
        if struct.unpack_from("<I", data, header) == (1,):  # PT_LOAD
            struct.pack_into("<Q", data, header + 48, 4096)
    library.write_bytes(data)


def test_a_project_for_a_stand_in_ships_the_shared_cxx_library_when_it_is_needed(
    buildtool: Buildtool, project: Path, edit: Edit, stand_in_ndk: MakeNdk, tmp_path: Path
) -> None:
    shutil.copytree(stand_in_ndk("r28"), tmp_path / "ndk", symlinks=True)
    with (project / "buildtool.toml").open("a") as file:
        file.write(f'\n[tool.android-ndk]\npath = "{tmp_path}/ndk"\n')
        file.write('\n[target.phone]\nplatform = "android"\n')
    (project / "host/extra.cpp").write_text("int extra() { return 1; }\n")
    edit(
        project / "host/CMakeLists.txt",
        "install(",
        "enable_language(CXX)\nadd_library(extra SHARED extra.cpp)\n"
        "install(TARGETS extra LIBRARY DESTINATION lib)\ninstall(",
    )

    done = buildtool("build", "phone", cwd=project)

    assert done.returncode == 0, done.stderr
    release = project / ".buildtool/release/phone"
    assert {path.name for path in (release / "lib").iterdir()} == {
        "libextra.so",
        "libc++_shared.so",
    }
    assert "libcdsprpc.so" in read_elf(release / "bin/demo").needed

    small_pages(
        tmp_path / "ndk/toolchains/llvm/prebuilt/linux-x86_64/sysroot/usr/lib"
        "/aarch64-linux-android/libc++_shared.so"
    )
    with (project / "buildtool.toml").open("a") as file:
        file.write('stl = "c++_shared"\n')
    done = buildtool("build", "phone", cwd=project)
    assert done.returncode == 1
    assert "libc++_shared.so cannot be loaded on devices with 16 KiB pages" in done.stderr
    assert "Use NDK r27 or newer" in done.stderr


def test_the_emulated_device_refuses_a_target_for_android(
    buildtool: Buildtool, project: Path
) -> None:
    """This error comes before that of the missing NDK."""
    with (project / "buildtool.toml").open("a") as file:
        file.write('\n[target.phone]\nplatform = "android"\n')

    done = buildtool("run", "sim", "--target", "phone", "--", "bin/demo", cwd=project)

    assert done.returncode == 125
    assert "'phone' is for android, which the emulated device is not" in done.stderr
    assert "buildtool build phone" in done.stderr
