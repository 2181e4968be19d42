"""The lines of a log that somebody else has written, within limits."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.explanations import InputObject

MAX_BYTES = 64 << 20
"""Of a larger file only the end is read, and of a longer pipe only the start."""
MAX_LINE = 4000
"""Characters of a line that are looked at."""
BLOCK = 1 << 20
ALL, START, END = "all", "start", "end"
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07?)")
_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Byte order marks; PowerShell's `>` writes UTF-16."""


class LogSummary(Value):
    """What was read of a log: `part` is ALL, START or END."""

    name: str
    lines: int = 0
    bytes: int = 0
    part: str = ALL
    cut_lines: int = 0
    has_nul: bool = False

    def as_json(self) -> InputObject:
        """The summary as an object of the document of `explain`."""
        return {
            "name": self.name,
            "lines": self.lines,
            "bytes": self.bytes,
            "part": self.part,
            "cut_lines": self.cut_lines,
            "has_nul": self.has_nul,
        }


class LogLines:
    """Reads a log in one pass; `summary` says afterwards what was read."""

    def __init__(self, name: str, stream: IO[bytes], max_bytes: int = MAX_BYTES) -> None:
        self.summary = LogSummary(name)
        self._stream = stream
        self._max_bytes = max_bytes

    def blocks(self) -> Iterator[tuple[int, list[str]]]:
        """Some lines at a time, with the number of the first.

        The lines have no escape sequences, and are cut at `MAX_LINE`.  Raises `OSError`.
        """
        first = self._stream.read(2)
        decoder = codecs.getincrementaldecoder(_MARKS.get(first, "utf-8"))("replace")
        skips = self._skip_to_the_end()
        data = b"" if skips or first in _MARKS else first
        rest, count = "", len(first)
        while True:
            read = self._stream.read(min(BLOCK, self._max_bytes - count))
            count += len(read)
            text = rest + decoder.decode(data + read, final=not read)
            lines, data = text.split("\n"), b""
            if read:
                # A line without an end is kept no longer than it is looked at.
                rest = lines.pop()[: 2 * MAX_LINE]
            elif lines[-1] == "":
                lines.pop()
            if skips and lines:
                del lines[0]  # its start was skipped
                skips = False
            # To look at each of millions of short lines would take minutes.
            odd = any(mark in text for mark in "\0\x1b\r")
            seen = [self._seen(line) if odd or len(line) > MAX_LINE else line for line in lines]
            yield self.summary.lines + 1, seen
            self.summary = self.summary._replace(lines=self.summary.lines + len(lines), bytes=count)
            if not read:
                break
        if count >= self._max_bytes and self.summary.part == ALL and self._stream.read(1):
            self.summary = self.summary._replace(part=START)

    def _skip_to_the_end(self) -> bool:
        """Skip the start of a file that is too large."""
        if not self._stream.seekable():
            return False
        size = self._stream.seek(0, 2)
        skipped = size - self._max_bytes + 2
        skipped += skipped % 2  # a character of UTF-16 stays whole
        self._stream.seek(max(2, skipped) if size > self._max_bytes else min(2, size))
        if size > self._max_bytes:
            self.summary = self.summary._replace(part=END)
        return size > self._max_bytes

    def _seen(self, line: str) -> str:
        """`line` as people see it in a terminal, up to `MAX_LINE` characters."""
        if "\0" in line:
            self.summary = self.summary._replace(has_nul=True)
            line = line.replace("\0", "")
        if len(line) > MAX_LINE:
            self.summary = self.summary._replace(cut_lines=self.summary.cut_lines + 1)
            line = line[:MAX_LINE]
        if "\x1b" in line:
            line = _ESCAPE.sub("", line)
        return line.rstrip("\r")
