"""Files whose time stamp is in the future."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable
from pathlib import Path

from buildtool.core.errors import BuildtoolError

TOLERANCE_NS = 2_000_000_000  # clocks of file servers differ


class FutureFileError(BuildtoolError):
    """CMake reads a file that was changed in the future."""

    code = "future-file"


def refuse_future(files: Iterable[Path]) -> None:
    """Raise `FutureFileError` when one of the files that CMake reads is from the future.

    What CMake writes is always older than such a file.  So Ninja runs CMake again, a hundred times,
    and fails.  Sources and headers from the future are compiled each time that Ninja runs.
    """
    latest = time.time_ns() + TOLERANCE_NS
    found = [file for file in files if _changed(file) > latest]
    if not found:
        return
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(_changed(found[0]) // 10**9))
    more = f", and {len(found) - 1} more" if found[1:] else ""
    raise FutureFileError(
        f"{found[0]} was changed in the future: {when}{more}",
        why="what CMake writes would be older, so Ninja would run CMake again without end",
        remedy=f"Correct the clock, or the time stamps: touch {shlex.join(map(str, found[:10]))}",
    )


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
