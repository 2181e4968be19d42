"""Files that CMake reads and that are newer than what it wrote, though it has read their content.

Ninja would run CMake for them: for one from the future in every build, forever.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import time
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots

if TYPE_CHECKING:
    from pathlib import Path

    from buildtool.drivers.cmake.scan.ninja import NinjaQuery


class FutureFileError(BuildtoolError):
    """A file has a time stamp in the future where the build depends on time stamps."""

    code = "future-file"


def any_newer(tree: Path, paths: PathSet, roots: Roots) -> bool:
    """Whether one of the files is newer than the build.ninja of `tree`."""
    configured = _mtime(f"{tree}/build.ninja")
    return any(_mtime(roots.path_of(name)) > configured for name in paths.files)


def mark_configured(
    ninja: NinjaQuery, rule_outputs: frozenset[str], *, has_run: bool = True
) -> None:
    """Make what CMake wrote into a configured tree as new as the newest file that CMake read.

    Ninja then does not run CMake again; whether CMake has to run is decided by content.  If CMake
    `has_run` just now, only a file from the future counts: another one may have changed since.
    Where CMake also reads some of `rule_outputs`, Ninja has to decide it: raises `FutureFileError`
    if a file is from the future there.  Raises also `ToolError`.
    """
    outputs, inputs = ninja.regeneration()
    newest = max(inputs, key=_mtime, default="")
    mtime = _mtime(newest)
    now = time.time_ns()
    if mtime <= (now if has_run else min(_mtime(f"{ninja.tree}/{name}") for name in outputs)):
        return
    if not rule_outputs.isdisjoint(inputs):
        if mtime <= now:
            return
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(mtime // 10**9))
        raise FutureFileError(
            f"{newest} is from the future: its time stamp is {date}",
            why="CMake reads it together with files that this build makes, and Ninja compares their"
            " time stamps to decide whether to run CMake",
            remedy=f"Set its time stamp to the present: touch {shlex.quote(newest)}",
        )
    for name in outputs:
        with contextlib.suppress(FileNotFoundError):
            os.utime(ninja.tree / name, ns=(mtime, mtime))
    ninja.restat(outputs)


def _mtime(path: str) -> int:
    """The mtime in ns; 0 for a file that does not exist."""
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - as `FileStates`: many files
    except (OSError, ValueError):
        return 0
