"""Files with time stamps in the future: Ninja would run CMake for them in every build, forever."""

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
    from buildtool.drivers.cmake.scan.ninja import NinjaQuery


class FutureFileError(BuildtoolError):
    """A file has a time stamp in the future where the build depends on time stamps."""

    code = "future-file"


def any_in_future(paths: PathSet, roots: Roots) -> bool:
    """Whether one of the files has an mtime in the future."""
    now = time.time_ns()
    return any(_mtime(roots.path_of(name)) > now for name in paths.files)


def mark_configured(ninja: NinjaQuery, rule_outputs: frozenset[str]) -> None:
    """Make what CMake wrote into a configured tree as new as the newest file that CMake read, if
    that is from the future.

    Ninja then does not run CMake again; whether CMake has to run is decided by content.  Raises
    `FutureFileError` where CMake also reads some of `rule_outputs`, since then Ninja has to decide
    it, and `ToolError`.
    """
    outputs, inputs = ninja.regeneration()
    newest = max(inputs, key=_mtime, default="")
    mtime = _mtime(newest)
    if mtime <= time.time_ns():
        return
    if not rule_outputs.isdisjoint(inputs):
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
