"""The libcdsprpc that counts the calls of a program and passes them on to that of the system."""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.device.arm64_code import compile_arm64
from buildtool.device.dsp_query import LIBDL, SYSTEMS
from buildtool.device.errors import DeviceError

SOURCE = Path(__file__).parent / "calls" / "count_calls.c"
SONAMES = {"ubuntu-aarch64": "libcdsprpc.so.1", "android": "libcdsprpc.so"}
"""By platform: the name of libcdsprpc for the dynamic loader."""
LIBC = ("clock_gettime", "close", "ftruncate", "getenv", "mmap", "open")


def counting_library(platform: str, system_library: str, option: str = "--expect-dsp") -> bytes:
    """The library for a device of `platform` whose libcdsprpc has the path `system_library`.
    `option` is what asks for it.

    Raises `DeviceError` for a path that would be more than a text in C source, and the errors of
    finding and running zig.
    """
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
    libraries = {libc: LIBC, libdl: LIBDL[1:], system_library: ()}
    return compile_arm64(SOURCE, flags, libraries, "the library that counts calls of the DSP")
