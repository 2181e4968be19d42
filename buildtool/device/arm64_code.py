"""The small C sources that run on any ARM64 device, compiled with zig, once into the user's cache.

They have no start files and link import stubs of the C libraries, whose symbols have no versions:
one binary serves glibc of every version, another one Android, and no NDK is necessary.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.files import read_checksummed, value_digest, write_checksummed
from buildtool.core.processes.process import capture, check
from buildtool.device.configuration import DIRECTORY
from buildtool.device.errors import DeviceError
from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.cdsprpc import import_stub

FLAGS = (
    *("-target", "aarch64-linux-gnu", "-Os", "-nostdlib", "-ffreestanding"),
    *("-fno-sanitize=undefined", "-fno-stack-protector", "-s", "-Wl,-z,max-page-size=65536"),
    "-Wl,--build-id=none",
)
BUILD_SECONDS = 300.0
QUERY_SOURCE = Path(__file__).parent / "query" / "dsp_query.c"
SYSTEMS = {
    "ubuntu-aarch64": ("/lib/ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2"),
    "android": ("/system/bin/linker64", "libc.so", "libdl.so"),
}
"""By platform: the dynamic loader, and the libraries that have the imports below."""
METERS_SOURCE = QUERY_SOURCE.with_name("dsp_meters.c")
METERS_LIBC = ("_exit", "clock_gettime", "close", "open", "poll", "read", "write")
QUERY_LIBC = ("_exit", "alarm", "write")
LIBDL = ("dlerror", "dlopen", "dlsym")
COUNTING_SOURCE = Path(__file__).parent / "calls" / "count_calls.c"
SONAMES = {"ubuntu-aarch64": "libcdsprpc.so.1", "android": "libcdsprpc.so"}
"""By platform: the name of libcdsprpc for the dynamic loader."""
COUNTING_LIBC = (
    *(
        "clock_gettime",
        "close",
        "ftruncate",
        "getenv",
        "memcpy",
        "memset",
        "mmap",
        "munmap",
        "open",
    ),
)

REPLAY_SOURCE = COUNTING_SOURCE.with_name("replay_calls.c")
REPLAY_LIBC = (
    *("close", "dup2", "exit", "getenv", "lseek", "memcmp", "memcpy", "memset", "mmap", "munmap"),
    *("open", "write"),
)
REPLAY_CALLS = (
    *("dspqueue_close", "dspqueue_create", "dspqueue_export", "dspqueue_get_stat"),
    *("dspqueue_read", "dspqueue_write"),
    *("fastrpc_mmap", "fastrpc_munmap", "remote_register_dma_handle_attr"),
    *("remote_handle64_close", "remote_handle64_invoke", "remote_handle64_open"),
    *("remote_handle_close", "remote_handle_invoke", "remote_handle_open"),
    *("remote_session_control", "rpcmem_alloc2", "rpcmem_free", "rpcmem_to_fd"),
)


def compile_arm64(
    source: Path,
    flags: Sequence[str],
    libraries: Mapping[str, Sequence[str]],
    purpose: str,
    headers: Sequence[Path] = (),
) -> bytes:
    """The ARM64 program or library of the C file `source`, which also includes `headers`; it needs
    each of `libraries`, a path or a SONAME, which exports these names.

    `purpose` completes "building ..." in errors.  Raises the errors of finding and running zig.
    """
    zig = usable_zig()
    needs = {name: list(exports) for name, exports in libraries.items()}
    beside = sorted(source.parent.glob("*.h"))
    include = _data.path("host") / "include"
    read = [source, *beside, *headers, *sorted((include / "fastrpc").glob("*.h"))]
    folders = dict.fromkeys((include, include / "fastrpc", *(file.parent for file in headers)))
    key = value_digest(
        {
            "sources": [file.read_text(encoding="utf-8") for file in read],
            "flags": [*FLAGS, *flags],
            "libraries": needs,
            "zig": zig.identity,
        }
    )
    kept = cache_dir() / DIRECTORY / f"{source.stem.replace('_', '-')}-{key[:16]}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        return bytes.fromhex(read_checksummed(kept))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        stubs = []
        for number, (name, exports) in enumerate(needs.items()):
            stubs.append(folder / f"{number}.so")
            stubs[-1].write_bytes(import_stub(name, exports))
        output = folder / "output"
        done = capture(
            [
                *(str(zig.where), "cc", *FLAGS, *flags, *(f"-I{folder}" for folder in folders)),
                *(str(source), *map(str, stubs), "-o", str(output)),
            ],
            env=build_environment(),
            cwd=folder,
            timeout=BUILD_SECONDS,
        )
        check(done, f"building {purpose}")
        data = output.read_bytes()
    with contextlib.suppress(OSError):
        write_checksummed(kept, data.hex())
    return data


def dsp_queries() -> tuple[bytes, ...]:
    """The program for each platform of `SYSTEMS`; raises the errors of finding and running zig."""
    return tuple(_query(*names) for names in SYSTEMS.values())


def _query(loader: str, libc: str, libdl: str) -> bytes:
    flags = ("-fPIE", "-pie", f"-Wl,--dynamic-linker={loader}")
    purpose = "the program that asks DSPs what they can do"
    return compile_arm64(QUERY_SOURCE, flags, {libc: QUERY_LIBC, libdl: LIBDL}, purpose)


def meters_program() -> bytes:
    """The program that asks libqcnpuperf, which is for Linux, about the DSP; raises as above."""
    loader, libc, libdl = SYSTEMS["ubuntu-aarch64"]
    flags = ("-fPIE", "-pie", f"-Wl,--dynamic-linker={loader}")
    libraries = {libc: METERS_LIBC, libdl: LIBDL[1:]}
    return compile_arm64(METERS_SOURCE, flags, libraries, "the program that reads meters of DSPs")


def replaying_program(platform: str) -> bytes:
    """The program that repeats recorded calls, for devices of `platform`; raises the errors of
    finding and running zig."""
    loader, libc, _ = SYSTEMS[platform]
    flags = ("-fPIE", "-pie", "-fno-builtin", f"-Wl,--dynamic-linker={loader}")
    libraries = {libc: REPLAY_LIBC, SONAMES[platform]: REPLAY_CALLS}
    return compile_arm64(REPLAY_SOURCE, flags, libraries, "the program that repeats recorded calls")


def counting_library(platform: str, system_library: str, option: str = "--expect-dsp") -> bytes:
    """The library for a device of `platform` whose libcdsprpc has the path `system_library`.
    `option` is what asks for it.  Raises `DeviceError` for a path that would be more than a text in
    C source, and the errors of finding and running zig."""
    if not re.fullmatch(r"/[\w.+/-]+", system_library, re.ASCII):
        raise DeviceError(
            "calls of the DSP cannot be counted: the path of the device's libcdsprpc is unusual",
            why=repr(system_library),
            remedy=f"Omit {option}.",
        )
    _, libc, libdl = SYSTEMS[platform]
    flags = (
        *("-fPIC", "-shared", "-fno-builtin", "-mno-outline-atomics", "-Wl,--no-as-needed"),
        *(f"-Wl,-soname,{SONAMES[platform]}", f'-DREAL_LIBRARY="{system_library}"'),
    )
    # It needs the library of the system by its path: names that it does not have are found there.
    libraries = {libc: COUNTING_LIBC, libdl: LIBDL[1:], system_library: ()}
    return compile_arm64(
        COUNTING_SOURCE, flags, libraries, "the library that counts calls of the DSP"
    )
