"""The program that asks a device's libcdsprpc about its DSP.

It is built with zig, in less than a second, once into the user's cache.  It needs no NDK and no
particular glibc: it links import stubs of the C libraries, whose symbols have no versions.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.checksummed_json import read_checksummed, write_checksummed
from buildtool.core.files import value_digest
from buildtool.core.processes.process import capture, check
from buildtool.device.configuration import DIRECTORY
from buildtool.plan.environment import build_environment
from buildtool.sdk.zig import usable_zig
from buildtool.toolchains.import_stub import import_stub

SOURCE = Path(__file__).parent / "query" / "dsp_query.c"
SYSTEMS = {
    "ubuntu-aarch64": ("/lib/ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2"),
    "android": ("/system/bin/linker64", "libc.so", "libdl.so"),
}
"""By platform: the dynamic loader, and the libraries that have the imports below."""
LIBC = ("_exit", "alarm", "write")
LIBDL = ("dlerror", "dlopen", "dlsym")
FLAGS = (
    *("-target", "aarch64-linux-gnu", "-Os", "-fPIE", "-pie", "-nostdlib", "-ffreestanding"),
    *("-fno-sanitize=undefined", "-fno-stack-protector", "-s", "-Wl,-z,max-page-size=65536"),
    "-Wl,--build-id=none",
)
BUILD_SECONDS = 300.0


def dsp_queries() -> tuple[bytes, ...]:
    """The program for each platform of `SYSTEMS`; raises the errors of finding and running zig."""
    return tuple(_query(platform) for platform in SYSTEMS)


def _query(platform: str) -> bytes:
    loader, libc, libdl = SYSTEMS[platform]
    zig = usable_zig()
    key = value_digest(
        {
            "source": SOURCE.read_text(encoding="utf-8"),
            "flags": [*FLAGS, loader, libc, libdl],
            "zig": zig.identity,
        }
    )
    program = cache_dir() / DIRECTORY / f"dsp-query-{key[:16]}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        return bytes.fromhex(read_checksummed(program))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, exports in ((libc, LIBC), (libdl, LIBDL)):
            (folder / name).write_bytes(import_stub(name, exports))
        output = folder / "dsp_query"
        include = _data.path("host") / "include"
        done = capture(
            [
                *(zig.where, "cc", *FLAGS, f"-I{include}", f"-I{include / 'fastrpc'}", SOURCE),
                *(f"-Wl,--dynamic-linker={loader}", folder / libc, folder / libdl, "-o", output),
            ],
            env=build_environment(),
            cwd=folder,
            timeout=BUILD_SECONDS,
        )
        check(done, "building the program that asks DSPs what they can do")
        data = output.read_bytes()
    with contextlib.suppress(OSError):
        write_checksummed(program, data.hex())
    return data
