"""Makes the archive with what the compiler and C++ headers need and no DSP shell exports.

The scripts `zig` and `hexagon-clang` of the SDK-shaped root call this module when they link and the
archive is missing.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.process import capture, check

LIBRARY = "libc++.a"
# The oldest arch, and the calling convention of skels: see hexagon.cmake.in.
_OPTIONS = (
    *("--target=hexagon-linux-musl", "-mcpu=hexagonv68", "-nostdlib", "-O2", "-g0", "-fPIC"),
    *("-fno-sanitize=undefined", "-Xclang", "-triple", "-Xclang", "hexagon-unknown-none-elf"),
)


def make_library(zig: Path, folder: Path) -> None:
    """Make the archive of the C files in `folder`, there.  Raises `ToolError` when zig fails."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as temporary:
        library = Path(temporary, LIBRARY)
        sources = sorted(file.name for file in folder.glob("*.c"))
        objects = {source: Path(temporary, source).with_suffix(".o") for source in sources}
        commands: list[list[str | Path]] = [
            [zig, "cc", *_OPTIONS, "-c", source, "-o", file] for source, file in objects.items()
        ]
        commands.append([zig, "ar", "rcsD", library, *objects.values()])
        for command in commands:
            check(capture(command, env=os.environ, cwd=folder), "making the C++ library of skels")
        library.replace(folder / LIBRARY)


if __name__ == "__main__":
    try:
        make_library(Path(sys.argv[1]), Path(sys.argv[2]))
    except BuildtoolError as error:
        sys.exit(str(error))
