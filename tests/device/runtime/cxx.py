"""C++ skels with exceptions and RTTI, and small libraries that stand in for libc++ of devices.

zig has the sources of LLVM's libc++ and libc++abi. A few of libc++abi suffice for exceptions, RTTI
and `new`, and two of libc++ for hash tables. Like those of devices, they call malloc by its plain
name.
"""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.sdk.packaged_tools import usable_zig
from tests.device.fastrpc.toolbox import HEADERS, ROOT, SKEL_HEADERS, ZIG_LIBC, Toolbox

HERE = Path(__file__).parent
LIBRARIES = ZIG_LIBC.parents[1]
ABI = "libc++abi.so.1"
LIBRARY = "libc++.so.1"
BUILDING = (
    "-D_LIBCPP_BUILDING_LIBRARY",
    *(f"-I{LIBRARIES / 'libcxx'}/{name}" for name in ("src", "libc")),
)
ABI_SOURCES = (
    *("cxa_aux_runtime", "cxa_default_handlers", "cxa_exception"),
    *("cxa_handlers", "cxa_personality", "cxa_virtual", "fallback_malloc", "private_typeinfo"),
    *("stdlib_exception", "stdlib_new_delete", "stdlib_stdexcept", "stdlib_typeinfo"),
)
CASES = ("within", "across", "types", "globals", "threads", "heap", "containers")  # of skel/cxx.cpp
QURT = ("-Xclang", "-triple", "-Xclang", "hexagon-unknown-none-elf")
WRAP = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free", "memalign")]
SHARED = (
    *("-shared", "-nostdlib", "-Wl,--hash-style=sysv", "-Wl,-z,max-page-size=4096"),
    *("-Wl,-z,undefs", "-Wl,--no-as-needed"),
)


def settings() -> list[str]:
    """The settings of libc++'s headers that the open profile uses."""
    text = (ROOT / "cmake/libcxx_settings.cmake").read_text(encoding="utf-8")
    body = re.search(r"BUILDTOOL_LIBCXX_SETTINGS(.*?)\)", text, re.DOTALL)
    assert body
    return [f"-D_LIBCPP_{name}" for name in body[1].split()]


def flags() -> list[str | Path]:
    return [
        *("-std=c++23", "-fexceptions", "-frtti", "-funwind-tables"),
        *("-target", "hexagon-linux-musl", "-mcpu=hexagonv68", "-O2", "-fPIC"),
        *("-fno-sanitize=undefined", *QURT, *settings()),
        *(f"-I{LIBRARIES / name}" for name in ("libcxx/include", "libcxxabi/include")),
        f"-I{LIBRARIES / 'libunwind/include'}",
        *HEADERS,
        *SKEL_HEADERS,
    ]


def build(toolbox: Toolbox, file: str, *arguments: str | Path) -> Path:
    compiler = str(usable_zig().where)
    return toolbox._once(
        toolbox.base / "cxx" / file,
        ["c++", *flags(), *SHARED, *arguments],
        compiler=compiler,
    )


def abi_stand_in(toolbox: Toolbox) -> Path:
    """A libc++abi.so.1 without demangler and messages."""
    return build(
        toolbox,
        ABI,
        *("-DLIBCXXABI_SILENT_TERMINATE", "-DLIBCXXABI_NON_DEMANGLING_TERMINATE"),
        "-D_LIBCXXABI_HAS_NO_THREADS",
        *("-D_LIBCXXABI_BUILDING_LIBRARY", *BUILDING),
        f"-Wl,-soname,{ABI}",
        *(LIBRARIES / f"libcxxabi/src/{name}.cpp" for name in ABI_SOURCES),
        HERE / "skel" / "abi_rest.cpp",
    )


def library_stand_in(toolbox: Toolbox) -> Path:
    """A libc++.so.1 with what hash tables need."""
    return build(
        toolbox,
        LIBRARY,
        *("-D_LIBCPP_PSTL_BACKEND_SERIAL", *BUILDING, f"-Wl,-soname,{LIBRARY}"),
        *(LIBRARIES / f"libcxx/src/{name}.cpp" for name in ("hash", "stdexcept")),
        abi_stand_in(toolbox),
    )


def thrower(toolbox: Toolbox) -> Path:
    return build(
        toolbox,
        "libthrower.so",
        *("-Wl,-soname,libthrower.so", *WRAP),
        HERE / "skel" / "thrower.cpp",
        library_stand_in(toolbox),
        abi_stand_in(toolbox),
    )


def skel(toolbox: Toolbox, file: str = "libcxx_skel.so", *arguments: str) -> Path:
    return build(
        toolbox,
        file,
        *WRAP,
        *arguments,
        HERE / "skel" / "cxx.cpp",
        "-Wl,-Bsymbolic",
        thrower(toolbox),
        library_stand_in(toolbox),
        abi_stand_in(toolbox),
    )
