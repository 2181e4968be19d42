"""The program that asks a device's libcdsprpc about its DSP."""

from __future__ import annotations

from pathlib import Path

from buildtool.device.arm64_code import compile_arm64

SOURCE = Path(__file__).parent / "query" / "dsp_query.c"
SYSTEMS = {
    "ubuntu-aarch64": ("/lib/ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2"),
    "android": ("/system/bin/linker64", "libc.so", "libdl.so"),
}
"""By platform: the dynamic loader, and the libraries that have the imports below."""
LIBC = ("_exit", "alarm", "write")
LIBDL = ("dlerror", "dlopen", "dlsym")


def dsp_queries() -> tuple[bytes, ...]:
    """The program for each platform of `SYSTEMS`; raises the errors of finding and running zig."""
    return tuple(_query(*names) for names in SYSTEMS.values())


def _query(loader: str, libc: str, libdl: str) -> bytes:
    flags = ("-fPIE", "-pie", f"-Wl,--dynamic-linker={loader}")
    purpose = "the program that asks DSPs what they can do"
    return compile_arm64(SOURCE, flags, {libc: LIBC, libdl: LIBDL}, purpose)
