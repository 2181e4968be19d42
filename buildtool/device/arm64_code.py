"""Compiles small C sources for any ARM64 device, with zig, once into the user's cache.

They have no start files and link import stubs of the C libraries, whose symbols have no versions:
one binary serves glibc of every version, another one Android, and no NDK is necessary.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.files import read_checksummed, value_digest, write_checksummed
from buildtool.core.processes.process import capture, check
from buildtool.device.configuration import DIRECTORY
from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.toolchains.cdsprpc import import_stub

FLAGS = (
    *("-target", "aarch64-linux-gnu", "-Os", "-nostdlib", "-ffreestanding"),
    *("-fno-sanitize=undefined", "-fno-stack-protector", "-s", "-Wl,-z,max-page-size=65536"),
    "-Wl,--build-id=none",
)
BUILD_SECONDS = 300.0


def compile_arm64(
    source: Path, flags: Sequence[str], libraries: Mapping[str, Sequence[str]], purpose: str
) -> bytes:
    """The ARM64 program or library of the C file `source`; it needs each of `libraries`, a path or
    a SONAME, which exports these names.

    `purpose` completes "building ..." in errors.  Raises the errors of finding and running zig.
    """
    zig = usable_zig()
    needs = {name: list(exports) for name, exports in libraries.items()}
    beside = sorted(source.parent.glob("*.h"))
    include = _data.path("host") / "include"
    read = [source, *beside, *sorted((include / "fastrpc").glob("*.h"))]
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
                *(str(zig.where), "cc", *FLAGS, *flags, f"-I{include}", f"-I{include / 'fastrpc'}"),
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
