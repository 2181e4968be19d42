"""The scripts that run on devices, as text.

A script reports how it ended: a mark, a word and text, at the end of its standard error.  The exit
status of ssh and adb cannot be relied on: ssh returns 255 for a lost connection, for a program that
a signal ended, and for a program that returns it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path

from buildtool.core.value import Value
from buildtool.deploy.transports.transport import quote

MAX_REPORT = 64 << 20
LOCK_SCRIPTS = ("common", "lock", "device_lock")
"""What comes before scripts that take the lock of the device."""


class Report(Value):
    """How a script ended: a word, and what belongs to it."""

    word: str
    text: str = ""


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
    """A stream that ends in a mark and a report; it arrives in pieces.

    A `terminal` ends its lines with CR and LF.
    """

    def __init__(self, mark: bytes, *, terminal: bool = False) -> None:
        self._mark = mark
        self._terminal = terminal
        self._held = b""
        self._report: bytearray | None = None

    @property
    def marked(self) -> bool:
        """Whether the mark was seen."""
        return self._report is not None

    def feed(self, data: bytes) -> bytes:
        """The part of the stream, up to `data`, that cannot belong to the mark or the report."""
        if self._report is not None:
            self._report += data[: MAX_REPORT - len(self._report)]
            return b""
        data = self._held + data
        text, mark, rest = data.partition(self._mark)
        if mark:
            self._held = b""
            self._report = bytearray(rest)
            return text
        keep = next(
            (
                size
                for size in range(min(len(data), len(self._mark) - 1), 0, -1)
                if self._mark.startswith(data[-size:])
            ),
            0,
        )
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep]

    def rest(self) -> bytes:
        """What was held back because it could have been the mark."""
        held, self._held = self._held, b""
        return held

    def report(self) -> Report | None:
        """The report; None without a whole one."""
        if self._report is None:
            return None
        data = bytes(self._report)
        return parse_report(data.replace(b"\r\n", b"\n") if self._terminal else data)


def parse_report(data: bytes) -> Report | None:
    """The report `WORD[ TEXT]` that ends with a line break; None for anything else."""
    if not data.endswith(b"\n") or len(data) >= MAX_REPORT:
        return None
    text = data[:-1].decode("utf-8", errors="surrogateescape")
    word, _, rest = text.partition(" ")
    return Report(word, rest)
