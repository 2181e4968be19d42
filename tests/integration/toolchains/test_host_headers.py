"""The functions that the headers declare for the ARM64 side are those that libcdsprpc exports."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.cdsprpc import known_exports

HEADERS = Path(__file__).parents[3] / "host" / "include"
TARGET = ("-target", "aarch64-linux-gnu.2.35")
DECLARATION = re.compile(
    r"\b(\w+)\s*\((?!\*)[^;{}]*?\)\s*(?:__attribute__\s*\(\([^;]*?\)\)\s*)?;", re.ASCII
)
# A weak reference of older objects, and a function of the DSP's side.
OTHERS = {"HAP_debug", "dspqueue_import"}


def declared() -> set[str]:
    """The names of the functions that our own headers declare, after preprocessing."""
    headers = (path.name for path in (HEADERS / "fastrpc").glob("*.h"))
    # What those of traces define needs no library.
    names = ["rpcmem.h", *(name for name in headers if not name.startswith("bt_trace"))]
    include = "".join(f'#include "{name}"\n' for name in sorted(names))
    folders = [f"-I{HEADERS / 'fastrpc'}", f"-I{HEADERS}"]
    command = [usable_zig().where, "cc", *TARGET, *folders, "-E", "-x", "c", "-"]
    done = subprocess.run(
        list(map(str, command)), input=include, capture_output=True, text=True, check=True
    )
    ours, lines = False, []
    for line in done.stdout.splitlines():
        if line.startswith("#"):
            ours = str(HEADERS) in line
        elif ours:
            lines.append(line)
    return set(DECLARATION.findall("\n".join(lines)))


def test_every_declared_function_is_exported_by_libcdsprpc() -> None:
    names = declared()
    assert {"remote_handle64_invoke", "rpcmem_alloc", "dspqueue_create", "HAP_debug_v2"} <= names
    assert names - OTHERS == set(known_exports())
