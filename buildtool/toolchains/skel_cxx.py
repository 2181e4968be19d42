"""Makes the archive with what the headers of the C++ library need of its objects in skels.

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

SOURCE, LIBRARY = "skel_cxx.c", "libc++.a"
# The oldest arch, and the calling convention of skels: see hexagon.cmake.in.
_OPTIONS = (
    *("--target=hexagon-linux-musl", "-mcpu=hexagonv68", "-nostdlib", "-O2", "-g0", "-fPIC"),
    *("-fno-sanitize=undefined", "-Xclang", "-triple", "-Xclang", "hexagon-unknown-none-elf"),
)


def make_library(zig: Path, folder: Path) -> None:
    """Make the archive of the source, both in `folder`.  Raises `ToolError` when zig fails."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as temporary:
        compiled, library = Path(temporary, "skel_cxx.o"), Path(temporary, LIBRARY)
        commands: tuple[list[str | Path], ...] = (
            [zig, "cc", *_OPTIONS, "-c", SOURCE, "-o", compiled],
            [zig, "ar", "rcsD", library, compiled],
        )
        for command in commands:
            check(capture(command, env=os.environ, cwd=folder), "making the C++ library of skels")
        library.replace(folder / LIBRARY)


if __name__ == "__main__":
    try:
        make_library(Path(sys.argv[1]), Path(sys.argv[2]))
    except BuildtoolError as error:
        sys.exit(str(error))
