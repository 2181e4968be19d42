"""The C library that gcc and clang link: their own, or that of a device's sysroot."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.device.sysroot.pull import pull
from buildtool.device.sysroot.source import open_directory
from buildtool.sdk.gnu_compilers import find_gcc
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.sdk.qemu import CROSS_LIBRARIES
from buildtool.sdk.sysroot import Sysroot, find_sysroot
from buildtool.toolchains.profile import Profile, ProfileError
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_gcc
from tests.standins.device import arm64_library

from .conftest import PlainCMake
from .test_ubuntu_gnu import COMPILERS, run

CROSS = CROSS_LIBRARIES.parent
MULTIARCH = "aarch64-linux-gnu"
LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(demo C CXX)
add_library(dep SHARED dep.cpp)
add_executable(main main.c)
target_link_libraries(main dep m)
"""
SOURCES = {
    "dep_cpp": "#include <cstdlib>\n#include <string>\n"
    'extern "C" int dep(void) { return std::stoi(std::string("40")); }',
    "main_c": "#include <math.h>\n#include <stdio.h>\n#include <stddef.h>\n"
    "#include <linux/limits.h>\n#include <device_only.h>\nint dep(void);\n"
    'int main(void) { printf("%d\\n", dep() + (int)fabs(-2.0) * DEVICE_ONLY); }',
}


def of_package(package: str) -> list[Path]:
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True)
    paths = [Path(line) for line in listed.stdout.splitlines() if line.startswith(f"{CROSS}/")]
    return [path for path in paths if not path.is_dir()]


def lay_out(root: Path) -> Path:
    """Create a device's root: Debian's ARM64 files at the paths of a device."""
    libraries, include = root / "lib" / MULTIARCH, root / "usr" / "include"
    dev = root / "usr" / "lib" / MULTIARCH
    for folder in (libraries, dev, include / MULTIARCH):
        folder.mkdir(parents=True)
    for file in [*of_package("libc6-dev-arm64-cross"), *of_package("linux-libc-dev-arm64-cross")]:
        inner = file.relative_to(CROSS)
        if inner.parts[0] == "include":
            arch = inner.parts[1] in ("asm", "bits", "gnu", "sys")
            place = (include / MULTIARCH if arch else include) / inner.relative_to("include")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
        elif file.is_symlink():  # libm.so → libm.so.6, in the other directory
            (dev / file.name).symlink_to(f"../../../lib/{MULTIARCH}/{file.readlink().name}")
        else:
            shutil.copyfile(file, dev / file.name)
    for file in [*of_package("libc6-arm64-cross"), CROSS_LIBRARIES / "libgcc_s.so.1"]:
        shutil.copyfile(file, libraries / file.name)
    (include / "device_only.h").write_text("#define DEVICE_ONLY 1\n")
    script = dev / "libc.so"
    text = script.read_text()
    for shared in ("libc.so.6", "ld-linux-aarch64.so.1"):
        assert f"{CROSS_LIBRARIES}/{shared}" in text
        text = text.replace(f"{CROSS_LIBRARIES}/{shared}", f"/lib/{MULTIARCH}/{shared}")
    text = text.replace(f"{CROSS_LIBRARIES}/", f"/usr/lib/{MULTIARCH}/")
    script.write_text(text)
    return root


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A device with a C library and a libcdsprpc, in a directory with a space in its name."""
    device = lay_out(tmp_path_factory.mktemp("a device") / "root")
    cdsprpc = device / "usr" / "lib" / MULTIARCH / "libcdsprpc.so.1"
    arm64_library(cdsprpc, "libcdsprpc.so.1", ["remote_handle64_open"])
    return device


@pytest.fixture(scope="module")
def pulled(laid_out: Path, tmp_path_factory: pytest.TempPathFactory) -> Sysroot:
    """The sysroot that the code of `buildtool sysroot pull` makes, which rewrites the scripts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BUILDTOOL_CACHE", str(tmp_path_factory.mktemp("the cache")))
        pull(open_directory(laid_out), "board", libc=True, waiting=lambda: None)
        sysroot = find_sysroot("board")
    assert (sysroot.has_libc, sysroot.glibc) == (True, "2.36")
    return sysroot


@pytest.fixture(scope="module")
def absolute(laid_out: Path) -> Sysroot:
    """A device's files as they are: scripts have absolute paths.  Tests leave it as it is."""
    return Sysroot(
        where=laid_out.parent,
        version="1",
        identity="board",
        name="board",
        source="a test",
        platform="ubuntu-aarch64",
        soname="libcdsprpc.so.1",
        exports=frozenset(),
        library="",
        glibc="2.36",
        has_libc=True,
    )


def test_debian_s_cross_library_as_a_sysroot_fails_the_compiler_check(
    plain_cmake: PlainCMake,
) -> None:
    """The check fails with a simple toolchain file, and succeeds with the profile."""
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "add_executable(main main.c)",
        main_c='#include <stdio.h>\nint main(void) { puts("hello"); }',
        naive_cmake="set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\n"
        f"set(CMAKE_C_COMPILER {find_gcc().where})\nset(CMAKE_SYSROOT {CROSS})\n",
    )
    cmake = find_cmake()
    naive = subprocess.run(
        [
            *(cmake.program, "-G", "Ninja", "-S", plain_cmake.root),
            *("-B", plain_cmake.root / "naive", f"-DCMAKE_MAKE_PROGRAM={cmake.ninja}"),
            f"-DCMAKE_TOOLCHAIN_FILE={plain_cmake.root / 'naive.cmake'}",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert naive.returncode == 1
    assert "is not able to compile a simple test program" in naive.stderr
    assert f"cannot find {CROSS_LIBRARIES}/libc.so.6 inside {CROSS}" in naive.stderr

    tree, _ = plain_cmake.build(ubuntu_aarch64_gcc())

    assert run(tree / "main") == "hello\n"


@pytest.mark.parametrize("scripts", [pytest.param("absolute", marks=pytest.mark.long), "pulled"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_device_s_c_library_is_the_one_that_is_linked(
    compiler: Callable[..., Profile],
    scripts: str,
    request: pytest.FixtureRequest,
    plain_cmake: PlainCMake,
) -> None:
    """Compile C and C++, and check which headers, start files and libraries are used."""
    sysroot: Sysroot = request.getfixturevalue(scripts)
    plain_cmake.write(CMakeLists_txt=LISTS, **SOURCES)

    # -H names every header, --trace every file that the linker reads.
    tree, output = plain_cmake.build(
        compiler("2.36", sysroot=sysroot),
        *(f"-DCMAKE_{lang}_FLAGS=-H" for lang in ("C", "CXX")),
        *(f"-DCMAKE_{kind}_LINKER_FLAGS=-Wl,--trace" for kind in ("EXE", "SHARED")),
    )

    assert run(tree / "main") == "42\n"
    lines = [line.strip() for line in output.splitlines()]
    linked = [line for line in lines if line.startswith("/")]
    device = str(sysroot.root)
    for name in ("Scrt1.o", "crti.o", "crtn.o", "libm.so", "libc.so.6"):
        places = [line for line in linked if Path(line).name == name]
        assert places, name
        assert all(place.startswith(device) for place in places), places
    headers = [line.lstrip(".").strip() for line in lines if line.startswith(".")]
    own = ("c++", "gcc-cross", "clang")
    libc = [
        header
        for header in headers
        if header.startswith("/") and not any(part in Path(header).parts for part in own)
    ]
    assert any(header.endswith("/stdio.h") for header in libc)
    assert all(header.startswith((device, str(plain_cmake.root))) for header in libc), libc


def test_the_device_s_libraries_are_found_and_no_others(
    pulled: Sysroot, plain_cmake: PlainCMake
) -> None:
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "find_library(math m)\nfind_path(limits linux/limits.h)\n"
        'message(STATUS "<${math}|${limits}>")'
    )
    _, output = plain_cmake.build(ubuntu_aarch64_gcc("2.36", sysroot=pulled))

    found = output[output.index("<") + 1 : output.index(">")].split("|")
    assert [Path(path).is_relative_to(pulled.root) for path in found] == [True, True]


def test_a_sysroot_without_a_c_library_changes_nothing(absolute: Sysroot) -> None:
    without = absolute._replace(has_libc=False)

    for compiler in COMPILERS:
        assert compiler(sysroot=without).cmake_toolchain() == compiler().cmake_toolchain()
        assert compiler(sysroot=without).digest == compiler().digest
        assert compiler(sysroot=absolute).digest != compiler().digest


@pytest.mark.parametrize("place", [f"usr/lib/{MULTIARCH}/collect2", f"lib/{MULTIARCH}/as"])
def test_programs_of_a_device_are_not_started(absolute: Sysroot, place: str) -> None:
    """gcc would otherwise run programs from the directory in which it searches for start files."""
    program = absolute.root / place
    program.write_text("#!/bin/sh\n")
    try:
        with pytest.raises(ProfileError, match="where gcc searches for its programs") as caught:
            ubuntu_aarch64_gcc("2.36", sysroot=absolute)
    finally:
        program.unlink()
    assert str(program) in caught.value.why
