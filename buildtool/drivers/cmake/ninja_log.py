"""Ninja's log of the commands that succeeded.

Source: Ninja's build_log.cc.  A line is begin, end, time stamp in ns, output and digest of the
command, with tabs between; there may be tabs in the output too.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from buildtool.core.files import read_regular


def log_lines(tree: Path) -> frozenset[str]:
    """The lines of Ninja's log of commands that succeeded."""
    try:
        data = read_regular(tree / ".ninja_log")
    except OSError:
        return frozenset()
    # Names may have all other characters that end lines elsewhere.
    return frozenset(data.decode(errors="surrogateescape").split("\n"))


def finished(tree: Path, before: Collection[str]) -> set[str]:
    """The outputs, absolute, of the commands that succeeded since the log had `before`'s lines."""
    rows = [line.split("\t", 3) for line in log_lines(tree) - set(before)]
    names = [row[3].rpartition("\t")[0] for row in rows if len(row) == 4]
    return {name if name.startswith("/") else f"{tree}/{name}" for name in names if name}


def newest_in_log(tree: Path) -> int:
    """The newest time stamp in Ninja's log, in ns: a file that is newer is news to every rule that
    there is.  One that cannot be read is newer than anything."""
    times = [line.split("\t")[2:3] for line in log_lines(tree) if "\t" in line]
    try:
        return max((int(time) for row in times for time in row), default=0)
    except ValueError:
        return sys.maxsize
