"""The scripts that run on devices, as text.

A script reports how it ended: a word and text between marks, at the end of its standard error.
The exit status of ssh and adb cannot be relied on: ssh returns 255 for a lost connection, for a
program that a signal ended, and for a program that returns it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path

from buildtool.core.value import Value
from buildtool.device.transports.transport import quote

MAX_REPORT = 64 << 20
MAX_STATUS = 255
WRITTEN, REPORTED = 2, 3
"""How many marks are in a stream when the script has written everything, and reported how it
ended."""
LOCK_SCRIPTS = ("common", "lock", "room", "device_lock")
"""The scripts that come before those that take the lock of the device."""


class ScriptReport(Value):
    """How a script ended: a word, and what belongs to it."""

    word: str
    text: str = ""

    @property
    def status(self) -> int | None:
        """The exit status that is reported; None if there is none."""
        return whole_number(self.text, MAX_STATUS) if self.word == "exit" else None


@functools.cache
def script(*names: str) -> str:
    """The scripts `names` of this package one after the other, without their comments."""
    folder = Path(__file__).with_name("scripts")
    texts = [(folder / f"{name}.sh").read_text(encoding="utf-8") for name in names]
    lines = (line for text in texts for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def assignments(variables: Mapping[str, str], arguments: Iterable[str] = ()) -> str:
    """Shell commands that set `variables` and the arguments of the script."""
    lines = [f"{name}={quote(value)}" for name, value in variables.items()]
    return "\n".join([*lines, " ".join(["set --", *map(quote, arguments)]), ""])


class MarkedStream:
    """A stream that a script shares with the login shell, which may print before and after it.

    The script's own output is between two marks.  In a stream with a report, the report and a third
    mark follow.  A `terminal` has no mark at the beginning, and ends its lines with CR and LF.
    """

    def __init__(self, mark: bytes, *, terminal: bool = False) -> None:
        self.marks = int(terminal)
        """How many marks were seen; on a terminal one more."""
        self._mark = mark
        self._terminal = terminal
        self._held = b""
        self._report = bytearray()

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Add `data` to the stream; returns the new bytes that came before the script's output, and
        those of this output.  Bytes that may belong to a mark are held back until more data comes.
        No data is the end of the stream."""
        pieces = (self._held + data).split(self._mark)
        keep = self._begun(pieces[-1]) if data else 0
        self._held = pieces[-1][len(pieces[-1]) - keep :]
        pieces[-1] = pieces[-1][: len(pieces[-1]) - keep]
        parts = [b"", b""]
        for index, piece in enumerate(pieces):
            self.marks += index > 0
            if self.marks < WRITTEN:
                parts[self.marks] += piece
            elif self.marks == WRITTEN:
                self._report += piece[: MAX_REPORT - len(self._report)]
        return parts[0], parts[1]

    def report(self) -> ScriptReport | None:
        """The report; None without a whole one."""
        data = bytes(self._report)
        if self.marks < REPORTED or len(data) >= MAX_REPORT:
            return None
        return parse_report(data.replace(b"\r\n", b"\n") if self._terminal else data)

    def _begun(self, data: bytes) -> int:
        """How many bytes at the end of `data` can be the beginning of a mark."""
        sizes = range(min(len(data), len(self._mark) - 1), 0, -1)
        return next((size for size in sizes if self._mark.startswith(data[-size:])), 0)


def parse_report(data: bytes) -> ScriptReport | None:
    """The report `WORD[ TEXT]` that ends with a line break; None for anything else."""
    if not data.endswith(b"\n"):
        return None
    text = data[:-1].decode("utf-8", errors="surrogateescape")
    word, _, rest = text.partition(" ")
    return ScriptReport(word, rest)


def whole_number(text: str, limit: int) -> int | None:
    """The decimal number `text` of a device, 0 to `limit`; None for anything else."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(limit)):
        return None
    return found if (found := int(text)) <= limit else None
