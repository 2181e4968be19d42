"""Ninja's log of the commands that succeeded.

Source: Ninja's build_log.cc.  A line holds start, end, mtime in ns, output and digest of the
command, separated by tabs; the output may contain tabs itself.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from buildtool.core.files import read_regular


def read_log_lines(tree: Path) -> frozenset[str]:
    """The lines of Ninja's log in `tree`."""
    try:
        data = read_regular(tree / ".ninja_log")
    except OSError:
        return frozenset()
    # Not `splitlines`: the other characters that it splits at may be part of a name.
    return frozenset(data.decode(errors="surrogateescape").split("\n"))


def finished_outputs(tree: Path, earlier_lines: Collection[str]) -> set[str]:
    """The outputs, absolute, of the commands that succeeded since the log had `earlier_lines`."""
    rows = [line.split("\t", 3) for line in read_log_lines(tree) - set(earlier_lines)]
    names = [row[3].rpartition("\t")[0] for row in rows if len(row) == 4]
    return {name if name.startswith("/") else f"{tree}/{name}" for name in names if name}


def newest_output_mtime(tree: Path) -> int:
    """The newest mtime in Ninja's log, in ns: every rule takes a file with a later mtime for
    changed.  A log that cannot be parsed counts as newer than everything."""
    mtimes = [line.split("\t")[2:3] for line in read_log_lines(tree) if "\t" in line]
    try:
        return max((int(mtime) for row in mtimes for mtime in row), default=0)
    except ValueError:
        return sys.maxsize
