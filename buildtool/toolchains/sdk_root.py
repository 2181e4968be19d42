"""A directory in the shape of a Hexagon SDK, with open headers and zig's clang in it.

Third-party projects find headers, CMake functions and compilers of the SDK by their paths below
HEXAGON_SDK_ROOT.  Nothing in this directory is the vendor's.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.elf.file import EM_HEXAGON, ET_REL
from buildtool.core.fastrpc_codes import with_idl_constants
from buildtool.core.files import value_digest, write_if_changed
from buildtool.core.safe_path import check_path
from buildtool.core.trees import make_directory, remove_tree
from buildtool.core.value import Value
from buildtool.project.keys import HEXAGON_ARCHS, arch_number
from buildtool.sdk.packaged_tools import CLANG_VERSION, Zig
from buildtool.toolchains.system_libraries import known_shells

DIRECTORY = "hexagon-root"
TOOLS_VERSION = f"{CLANG_VERSION}.1.8"
"""The version of LLVM in zig 0.17, under which third parties find the tools."""
TOOLS = f"tools/HEXAGON_Tools/{TOOLS_VERSION}"
INCLUDES = (
    *("incs", "incs/stddef", "ipc/fastrpc/incs", "ipc/fastrpc/rpcmem/inc", "rtos/qurt/include"),
    *("rtos/qurt/include/qurt", "rtos/qurt/include/posix", "utils/examples"),
)
"""The header directories for skels of every arch."""
ONLY_QF = (
    # The compiler would make IEEE instructions for a target that asks for them.
    *("-Xclang", "-target-feature", "-Xclang", "-hvx-ieee-fp"),
    # clang 22 saves qf registers by plain stores, which lose four bits of each lane.  So operations
    # are not joined, and the conversion of a result follows it soon.
    *("-mllvm", "-disable-qfp-opt", "-mllvm", "-misched-prera-direction=topdown"),
)
"""Flags of compilations for archs whose HVX computes in qf only."""
NULL_HEADERS = ("stddef.h", "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h", "wchar.h")
"""The headers of the C library that define NULL, besides locale.h of dsp/libc."""
_NULL = """/* NULL as in the DSP's C library: an integer, which code may assign to integers. */
#pragma GCC system_header
#include_next <{name}>
#ifdef NULL
#undef NULL
#define NULL 0
#endif
"""
_STRING_LISTS = """/* std::string is compiled where it is used: no library has it. */
#define _LIBCPP_STRING_V1_EXTERN_TEMPLATE_LIST(declare, character)
#define _LIBCPP_STRING_UNSTABLE_EXTERN_TEMPLATE_LIST(declare, character)
"""
_SHARED = ("build_id.cmake", "libcxx_settings.cmake")
_MODULES = ("open_llvm.py", "hmx.py", "hmx_forms.tsv")
_STDDEF = ("AEEStdDef.h", "AEEStdErr.h", "AEEStdDef.idl", "AEEStdErr.idl", "remote.idl")
_STATIC = "/* A linker script without files: the C++ library is linked statically. */\n"
_PROGRAMS = {
    "ar": "ar",
    "ranlib": "ranlib",
    "objcopy": "objcopy",
    "strip": "objcopy --strip-all",
    "link": "ld.lld",
}


class SdkRoot(Value):
    """The directory; `identity` is the digest of zig and of the files in the directory, without
    paths of this machine."""

    where: Path
    identity: str

    @property
    def tools(self) -> Path:
        return self.where / TOOLS

    @property
    def compiler(self) -> Path:
        """The program that is called as zig is."""
        return self.where / "zig"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the set-up script of an SDK exports."""
        return {
            **self._places,
            "DEFAULT_HEXAGON_TOOLS_ROOT": str(self.tools),
            "DEFAULT_TOOLS_VARIANT": f"toolv{CLANG_VERSION}",
            "DEFAULT_HLOS_ARCH": "64",
            "DEFAULT_NO_QURT_INC": "0",
        }

    def variables(self, prebuilt: str) -> dict[str, str]:
        """The cache entries that third-party projects expect; `prebuilt` names the SDK's
        directories of libraries."""
        return {**self._places, "PREBUILT_LIB_DIR": prebuilt}

    @property
    def _places(self) -> dict[str, str]:
        return {
            "HEXAGON_SDK_ROOT": str(self.where),
            "HEXAGON_TOOLS_ROOT": str(self.tools),
            "HEXAGON_CMAKE_ROOT": str(self.where / "build" / "cmake"),
        }


def sdk_root(zig: Zig) -> SdkRoot:
    """The directory for `zig` in the user's cache; it is written if it is missing.

    Raises `UnsafePathError` for a path that a tool would misread.
    """
    texts, headers, contents = _contents()
    identity = value_digest([zig.identity, contents])
    values = {"ZIG": str(zig.where), "ZIG_LIB": str(zig.library)}
    for place in (*values.values(), sys.executable, str(_data.path("cmake"))):
        check_path(place, "a path in the SDK-shaped root")
    digest = value_digest([identity, values])
    where = cache_dir() / DIRECTORY / digest[:32]
    if not (where / "hexagon_sdk.json").is_file():
        _write(where, {**values, "ROOT": str(where)}, texts, headers)
    _name_installation(where)
    return SdkRoot(where, identity)


def _name_installation(root: Path) -> None:
    """Name this installation of buildtool in `root`.  Another one continues with the build trees of
    the first, so the path of the root does not depend on it."""
    python = f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n"
    write_if_changed(root / "python", python, mode=0o755)
    cmake = f"""# The installation of buildtool that wrote this.
set(BUILDTOOL_CMAKE_DIR "{_data.path("cmake")}")
if(NOT BUILDTOOL_PYTHON)
  set(BUILDTOOL_PYTHON "{sys.executable}")
endif()
"""
    write_if_changed(root / "installation.cmake", cmake)


@functools.cache
def _contents() -> tuple[dict[str, str], dict[str, bytes], str]:
    """The templates and headers, by name, and their digest."""
    texts = {name: text.decode() for name, text in _templates().items()}
    headers = dict(_headers())
    named = {name: data.decode() for name, data in headers.items()}
    return texts, headers, value_digest([texts, named])


def _templates() -> dict[str, bytes]:
    """The scripts and CMake files, and the modules that the scripts run, by their names."""
    folder = _data.path("cmake")
    names = [*sorted(folder.glob("sdk/*")), *(folder / name for name in _SHARED)]
    names += [Path(__file__).parent / name for name in _MODULES]
    return {file.name: file.read_bytes() for file in names}


def _headers() -> Iterator[tuple[str, bytes]]:
    """The open headers and examples, by their paths in the root."""
    dsp, host = _data.path("dsp") / "include", _data.path("host") / "include"
    idl = Path(__file__).parent.parent / "idl" / "include"
    for file in sorted([*dsp.glob("*.h"), *host.rglob("*.[ch]"), *idl.glob("*.idl")]):
        if file.parent.name == "examples":
            folder = "utils/examples"
        elif file.name.startswith("qurt"):
            folder = "rtos/qurt/include/qurt"
        elif file.name in _STDDEF:
            folder = "incs/stddef"
        elif file.name == "rpcmem.h":
            folder = "ipc/fastrpc/rpcmem/inc"
        else:
            folder = "incs"
        data = file.read_bytes()
        if file.suffix == ".idl":
            data = with_idl_constants(data.decode()).encode()
        yield f"{folder}/{file.name}", data
    for folder in ("clang", "libc"):  # before clang's own, and before those of the C library
        root = _data.path("dsp") / folder
        for file in sorted(file for file in root.rglob("*") if file.is_file()):
            yield f"libc/include/{file.relative_to(root)}", file.read_bytes()
    for name in NULL_HEADERS:
        yield f"libc/include/{name}", _NULL.format(name=name).encode()
    yield "libc/include/__string/extern_template_lists.h", _STRING_LISTS.encode()
    yield "cxx/shell_exports.ld", _linker_script(known_shells().names).encode()


def _linker_script(names: Mapping[str, str]) -> str:
    """A linker script that defines the names that all shells export, unless an object does."""
    everywhere = sorted(name for name, letters in names.items() if set(letters) == {"y"})
    return "".join(f"PROVIDE({name} = __ehdr_start);\n" for name in everywhere)


def _write(
    where: Path, values: dict[str, str], texts: dict[str, str], headers: dict[str, bytes]
) -> None:
    """Write the root and move it to `where`, unless another process has."""
    import contextlib  # noqa: PLC0415 - it is there most of the time
    import tempfile  # noqa: PLC0415

    make_directory(where.parent)
    with tempfile.TemporaryDirectory(dir=where.parent, prefix=".") as temporary:
        fresh = Path(temporary, where.name)
        files = {**headers, **_programs(values, texts)}
        for name, data in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(0o755 if data.startswith(b"#!") else 0o644)
        _link_directories(fresh, values)
        with contextlib.suppress(OSError):
            if where.exists() and not (where / "hexagon_sdk.json").is_file():
                remove_tree(where)
        with contextlib.suppress(OSError):
            fresh.rename(where)  # fails if another process has just written it


def _programs(values: dict[str, str], texts: dict[str, str]) -> dict[str, bytes]:
    """The scripts and CMake files, by their paths in the root."""
    settings = re.findall(r"\b[A-Z_]+=\w+", texts["libcxx_settings.cmake"])
    build_id = re.search(r'"(-Wl,--build-id=\w+)"', texts["build_id.cmake"])
    values = {
        **values,
        "TOOLS": TOOLS,
        "CLANG": TOOLS_VERSION,
        "LIBCXX": " ".join(f"-D_LIBCPP_{setting}" for setting in settings),
        "BUILD_ID": build_id[1] if build_id else "",
        "ONLY_QF": " ".join(ONLY_QF),
    }

    def rendered(name: str, **more: str) -> bytes:
        known = {**values, **more}
        return re.sub(r"@([A-Z_]+)@", lambda m: known[m[1]], texts[f"{name}.in"]).encode()

    info = [{"name": "Hexagon Tools", "version": TOOLS_VERSION, "path": TOOLS}]
    described = {"root": {"name": "Hexagon SDK", "open": True, "tools": {"info": info}}}
    programs = f"{TOOLS}/Tools/bin"
    cmake = ("hexagon_fun.cmake", "hexagon_arch.cmake", "hexagon_toolchain.cmake")
    return {
        "hexagon_sdk.json": json.dumps(described, indent=2).encode(),
        "zig": rendered("zig"),
        **{f"cxx/{name}": text.encode() for name, text in texts.items() if name.endswith(".c")},
        **{f"cxx/{arch}.o": _object_of(arch) for arch in HEXAGON_ARCHS},
        **{f"build/cmake/{name}": rendered(name) for name in cmake},
        **{
            f"{programs}/hexagon-{name}": rendered("hexagon-clang") for name in ("clang", "clang++")
        },
        **{
            f"{programs}/hexagon-{name}": rendered(
                "hexagon-tool", NAME=f"hexagon-{name}", VERB=verb
            )
            for name, verb in _PROGRAMS.items()
        },
    }


def _object_of(arch: str) -> bytes:
    """An object file without sections.  A linked file has the newest arch of its objects, and what
    the linker compiles (-flto) has the oldest one of all."""
    import struct  # noqa: PLC0415 - it is there most of the time

    numbers = (ET_REL, EM_HEXAGON, 1, 0, 0, 0, arch_number(arch), 52, 0, 0, 40, 0, 0)
    return struct.pack("<16s2H5I6H", b"\x7fELF\x01\x01\x01", *numbers)


def _link_directories(root: Path, values: dict[str, str]) -> None:
    """Add the directories that third parties put on their include path, and zig's headers."""
    for folder in ("ipc/fastrpc/incs", "utils/examples", "rtos/qurt/include/posix"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "ipc/fastrpc/rpcmem/rpcmem.h").symlink_to("inc/rpcmem.h")
    (root / "incs/rpcmem.h").symlink_to("../ipc/fastrpc/rpcmem/inc/rpcmem.h")
    (root / "ipc/fastrpc/incs/remote.h").symlink_to("../../../incs/remote.h")
    (root / "lib").symlink_to(values["ZIG_LIB"])
    for arch in HEXAGON_ARCHS:
        compute = root / "rtos" / "qurt" / f"compute{arch}"
        compute.mkdir()
        (compute / "include").symlink_to("../include")
        libraries = root / TOOLS / "Tools/target/hexagon/lib" / arch / "G0/pic"
        libraries.mkdir(parents=True)
        for name in ("libc++.so.1", "libc++abi.so.1"):
            (libraries / name).write_text(_STATIC, encoding="utf-8")
    (root / TOOLS / "Tools/target/hexagon/include").mkdir()
