"""A stand-in Hexagon SDK, 4.4 … 6.6.

Sources of the layout: public build scripts and CMake files of projects that are built with an SDK,
which name its directories, programs, variables and command lines.  Its headers are this project's,
each with a line that states this.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .cxx_runtime import CXX, CXXABI, LIBCXX_SETTINGS, exporting
from .zig import library, write_file, zig_program

REPOSITORY = Path(__file__).parents[2]
HEADERS = (REPOSITORY / "dsp" / "include", REPOSITORY / "host" / "include")
E_FLAGS = 0x24  # offset in an ELF32 header


@dataclass(frozen=True)
class Version:
    """The differences between SDKs: the tools, their archs, and the directory of qaic."""

    tools: str
    archs: tuple[str, ...]
    qaic: str

    @property
    def variant(self) -> str:
        """The tools' version in names of directories: 8.7.06 is `toolv87`, 19.0.04 `toolv19`."""
        major, minor, *_ = self.tools.split(".")
        return f"toolv{major}" if int(major) > 8 else f"toolv{major}{minor}"


TO_V73 = ("v65", "v66", "v68", "v69", "v73")
TO_V79 = ("v66", "v68", "v69", "v73", "v75", "v79")
TO_V81 = ("v68", "v69", "v73", "v75", "v79", "v81")
VERSIONS = {
    "4.4.0.0": Version("8.4.12", ("v65", "v66", "v68"), "ipc/fastrpc/qaic/Ubuntu/qaic"),
    "5.5.0.1": Version("8.7.06", TO_V73, "ipc/fastrpc/qaic/Ubuntu18/qaic"),
    "6.2.0.1": Version("8.8.06", TO_V79, "ipc/fastrpc/qaic/bin/qaic"),
    "6.4.0.2": Version("19.0.04", TO_V81, "ipc/fastrpc/qaic/bin/qaic"),
    "6.6.0.0": Version("19.0.07", TO_V81, "qaic/bin/qaic"),
}
SHIP = ("android_aarch64", "UbuntuARM_aarch64", "linux_aarch64")
CLIENT = """\
int remote_handle64_open(const char *n, void *h) { return 1; }
int remote_handle64_invoke(unsigned long h, unsigned s, void *a) { return 1; }
int remote_handle64_close(unsigned long h) { return 1; }
int remote_session_control(unsigned r, void *d, unsigned n) { return 1; }
void rpcmem_init(void) {}
void rpcmem_deinit(void) {}
void *rpcmem_alloc(int h, unsigned f, int n) { return 0; }
void rpcmem_free(void *p) {}
"""  # like the SDK's library, without rpcmem_alloc2 and rpcmem_to_fd


def make_sdk(directory: Path, version: str = "6.4.0.2", *, trimmed: bool = False) -> Path:
    """Write an SDK to `directory`, whose name may be used as the version; returns `directory`.

    A trimmed SDK is like those in containers: hexagon_sdk.json does not list the tools, and
    qaic, `utils/examples`, `docs`, the prebuilt libraries and `setup_sdk_env.source` are missing.
    """
    sdk = VERSIONS[version]
    tools = directory / "tools" / "HEXAGON_Tools" / sdk.tools
    _tools(tools / "Tools", sdk)
    _headers(directory, version, sdk)
    _cmake(directory / "build" / "cmake", sdk)
    info = [
        {
            "name": "Hexagon Tools",
            "version": sdk.tools,
            "path": f"tools/HEXAGON_Tools/{sdk.tools}",
        }
    ]
    described = {"root": {"name": "Hexagon SDK", "tools": {"info": [] if trimmed else info}}}
    (directory / "hexagon_sdk.json").write_text(json.dumps(described, indent=2))
    if not trimmed:
        _qaic(directory / sdk.qaic, version)
        _prebuilt(directory)
        write_file(
            directory / "setup_sdk_env.source",
            "setup_sdk_env.source",
            {"TOOLS": sdk.tools, "VARIANT": sdk.variant},
        )
        (directory / "docs").mkdir()
        _copy(["dsp_capabilities_utils.h"], directory / "utils" / "examples", version)
    return directory


def add_simulator(directory: Path, version: str) -> Path:
    """Give an SDK of `make_sdk` a simulator, which runs programs on the emulated DSP; returns its
    `hexagon-sim`."""
    sdk = VERSIONS[version]
    tools = directory / "tools" / "HEXAGON_Tools" / sdk.tools / "Tools"
    files = [tools / "lib" / "iss" / name for name in ("qtimer.so", "l2vic.so")]
    for arch in sdk.archs:
        qurt = directory / "rtos" / "qurt" / f"compute{arch}"
        files += [qurt / "sdksim_bin" / "runelf.pbn", qurt / "debugger/lnx64/qurt_model.so"]
        ship = directory / "libs" / "run_main_on_hexagon" / "ship"
        files.append(ship / f"hexagon_{sdk.variant}_{arch}" / "run_main_on_hexagon_sim")
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{file.name} of a stand-in Hexagon SDK {version}\n")
    program = tools / "bin" / "hexagon-sim"
    write_file(program, "hexagon-sim", {"PYTHON": sys.executable}, program=True)
    return program


def _tools(tools: Path, sdk: Version) -> None:
    zig = zig_program()
    values = {
        "ZIG": str(zig),
        "ZIG_LIB": str(zig.parent / "lib"),
        "TOOLS": sdk.tools,
        "ARCHS": " ".join(sdk.archs),
        "LIBCXX": " ".join(f"-D_LIBCPP_{setting}" for setting in LIBCXX_SETTINGS),
    }
    write_file(tools / "bin" / "hexagon-clang", "hexagon-clang", values, program=True)
    (tools / "bin" / "hexagon-clang++").symlink_to("hexagon-clang")
    for name, verb in (
        ("ar", "ar"),
        ("ranlib", "ranlib"),
        ("llvm-objcopy", "objcopy"),
        ("strip", "objcopy --strip-all"),
        ("link", "ld.lld"),
    ):
        tool = {"ZIG": str(zig), "VERB": verb}
        write_file(tools / "bin" / f"hexagon-{name}", "zig-tool", tool, program=True)
    for name in ("sim", "nm", "readelf", "llvm-objdump", "size"):
        write_file(tools / "bin" / f"hexagon-{name}", "no-tool", {}, program=True)
    for arch in sdk.archs:
        _runtime(tools / "target" / "hexagon" / "lib" / arch / "G0" / "pic", arch)
    (tools / "target" / "hexagon" / "include").mkdir()


def _runtime(pic: Path, arch: str) -> None:
    """Write the libraries of skels; at run time, the shell provides libc and libgcc."""
    target = ["--target=hexagon-linux-musl", "-mcpu=hexagonv68"]
    target += ["-Wl,-z,max-page-size=4096", "-Wl,-z,norelro", "-Wl,-Bsymbolic"]
    abi = library("libc++abi.so.1", exporting(CXXABI), target)
    cxx = library("libc++.so.1", exporting(CXX), target, needed=[abi])
    pic.mkdir(parents=True)
    for made in (cxx, abi):
        (pic / f"{made.name}.0").write_bytes(_for_arch(made, arch))
        (pic / made.name).symlink_to(f"{made.name}.0")
        (pic / made.name.removesuffix(".1")).symlink_to(made.name)
    for name in ("libc.so", "libgcc.so"):
        (pic / name).write_bytes(_for_arch(library(name, "", target), arch))


def _for_arch(file: Path, arch: str) -> bytes:
    """The file, marked as one for `arch`; its code runs on all archs."""
    data = bytearray(file.read_bytes())
    struct.pack_into("<I", data, E_FLAGS, int(arch.removeprefix("v"), 16))
    return bytes(data)


def _headers(directory: Path, version: str, sdk: Version) -> None:
    own = {path.name for folder in HEADERS for path in folder.rglob("*.h")}
    qurt = {name for name in own if name.startswith("qurt")}
    stddef = {"AEEStdDef.h", "AEEStdErr.h", "AEEStdDef.idl", "remote.idl"}
    incs = directory / "incs"
    _copy(stddef, incs / "stddef", version)
    _copy(own - qurt - stddef - {"rpcmem.h"}, incs, version)
    fastrpc = directory / "ipc" / "fastrpc"
    _copy(["remote.h"], fastrpc / "incs", version)
    _copy(["rpcmem.h"], fastrpc / "rpcmem" / "inc", version)
    for arch in sdk.archs:
        include = directory / "rtos" / "qurt" / f"compute{arch}" / "include"
        _copy(qurt, include / "qurt", version)
        _copy([], include / "posix", version)


def _copy(names: Iterable[str], folder: Path, version: str) -> None:
    """Copy this project's headers with these names; writes an empty file for a missing one."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [*HEADERS, REPOSITORY / "buildtool" / "idl" / "include"]
    for name in names:
        found = [path for place in places for path in place.rglob(name)]
        text = found[0].read_text() if found else ""
        (folder / name).write_text(f"/* {name} of a stand-in Hexagon SDK {version} */\n{text}")


def _cmake(directory: Path, sdk: Version) -> None:
    for name in ("hexagon_arch.cmake", "hexagon_fun.cmake", "hexagon_toolchain.cmake"):
        write_file(directory / name, name, {"QAIC": sdk.qaic})


def _qaic(program: Path, version: str) -> None:
    values = {
        "PYTHON": sys.executable,
        "SCRIPT": str(Path(__file__).with_name("qaic.py")),
        "SDK": version,
    }
    write_file(program, "qaic", values, program=True)


def _prebuilt(directory: Path) -> None:
    client = library("libcdsprpc.so", CLIENT, ["--target=aarch64-linux-gnu.2.35"])
    fastrpc = directory / "ipc" / "fastrpc"
    for variant in SHIP:
        ship = fastrpc / "remote" / "ship" / variant
        ship.mkdir(parents=True)
        (ship / client.name).write_bytes(client.read_bytes())
        prebuilt = fastrpc / "rpcmem" / "prebuilt" / variant
        prebuilt.mkdir(parents=True)
        (prebuilt / "rpcmem.a").write_bytes(b"!<arch>\n")
