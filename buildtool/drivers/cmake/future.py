"""Files from the future: Ninja would run CMake again and again for one that CMake reads."""

from __future__ import annotations

import contextlib
import os
import shlex
import time
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.process import capture, check
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots


class FutureFileError(BuildtoolError):
    """A file has a time stamp from the future, and a build needs time stamps to be right."""

    code = "future-file"


def any_from_future(paths: PathSet, roots: Roots) -> bool:
    """Whether one of the files has a time stamp from the future."""
    now = time.time_ns()
    return any(_modified(roots.at(name)) > now for name in paths.files)


def keep_configured(
    tree: Path, ninja: Path, environment: Mapping[str, str], made: frozenset[str]
) -> None:
    """Let Ninja take the configured `tree` for newer than all that CMake read, `made` by no rule.

    Whether CMake has to be run was found out by content.  Raises `FutureFileError` where a rule
    makes a file that CMake reads, since then Ninja must find out when, and `ToolError`.
    """
    from buildtool.drivers.cmake.scan.ninja import read_regeneration  # noqa: PLC0415 - as `IncrementalTree`

    outputs, inputs = read_regeneration(tree, ninja, environment)
    newest = max(inputs, key=_modified, default="")
    stamp = _modified(newest)
    if stamp <= time.time_ns():
        return
    if not made.isdisjoint(inputs):
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(stamp // 10**9))
        raise FutureFileError(
            f"{newest} is from the future: its time stamp is {date}",
            why="CMake reads it, and files that this build makes; Ninja compares their time stamps",
            remedy=f"Give it the present one: touch {shlex.quote(newest)}",
        )
    for name in outputs:
        with contextlib.suppress(FileNotFoundError):
            os.utime(tree / name, ns=(stamp, stamp))
    command: list[str | Path] = [ninja, "-C", tree, "-t", "restat", *outputs]
    check(capture(command, env=environment), f"telling Ninja that {tree} is up to date")


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - as `FileStates`: many files
    except (OSError, ValueError):
        return 0
