"""Ninja's log of the commands that succeeded.

Source: Ninja's build_log.cc.  A line holds start, end, mtime in ns, output and digest of the
command, separated by tabs; the output may contain tabs itself.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterable, Iterator
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
    return {name for name, _ in _rows(tree, read_log_lines(tree) - set(earlier_lines))}


def command_times(tree: Path, earlier_lines: Collection[str]) -> dict[str, tuple[int, int]]:
    """For each output, absolute, of the commands that succeeded since the log had `earlier_lines`:
    when its command started and ended, in ns since Ninja started."""
    found: dict[str, tuple[int, int]] = {}
    for name, line in _rows(tree, read_log_lines(tree) - set(earlier_lines)):
        with contextlib.suppress(ValueError):
            start, end = (int(text) * 1_000_000 for text in line.split("\t")[:2])
            known = found.get(name, (start, end))
            found[name] = min(start, known[0]), max(end, known[1])
    return found


def keep_outputs(log: Path, tree: Path, outputs: Collection[str]) -> None:
    """Remove from the file `log` what Ninja knows of others than the absolute `outputs` of
    `tree`: to Ninja, their commands then have never run."""
    lines = read_regular(log).decode(errors="surrogateescape").split("\n")
    kept = [line for line in lines if line.startswith("#")]
    kept += [line for name, line in _rows(tree, lines) if name in outputs]
    log.write_bytes("".join(f"{line}\n" for line in kept).encode(errors="surrogateescape"))


def _rows(tree: Path, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The absolute output of each of the log's `lines`, and the line."""
    for line in lines:
        row = line.split("\t", 3)
        if len(row) == 4 and (name := row[3].rpartition("\t")[0]):
            yield (name if name.startswith("/") else f"{tree}/{name}"), line


def newest_output_mtime(tree: Path) -> int:
    """The newest mtime in Ninja's log, in ns: every rule takes a file with a later mtime for
    changed.  A log that cannot be parsed counts as newer than everything."""
    mtimes = [line.split("\t")[2:3] for line in read_log_lines(tree) if "\t" in line]
    try:
        return max((int(mtime) for row in mtimes for mtime in row), default=0)
    except ValueError:
        return sys.maxsize
