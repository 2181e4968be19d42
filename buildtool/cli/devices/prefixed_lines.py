"""Lines of several processes in one stream, each after the name of its process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, TextIO

from buildtool.cli.show import shows_colours

MAX_LINE = 1 << 16
COLOURS = (36, 33, 32, 35, 34, 31)


class PrefixedLines:
    """Writes what arrives in pieces to `stream`, in whole lines after `prefix`.

    Lines of more than `MAX_LINE` bytes are broken.
    """

    def __init__(self, prefix: bytes, stream: BinaryIO) -> None:
        self._prefix = prefix
        self._stream = stream
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Add what arrived next, and write the lines that are complete."""
        *lines, self._held = (self._held + data).split(b"\n")
        while len(self._held) > MAX_LINE:
            lines.append(self._held[:MAX_LINE])
            self._held = self._held[MAX_LINE:]
        if lines:
            self._stream.write(
                b"".join(self._prefix + line.removesuffix(b"\r") + b"\n" for line in lines)
            )
            self._stream.flush()

    def end(self) -> None:
        """Write the last line, which may have no line break."""
        if self._held:
            self.feed(b"\n")


def prefix(names: Sequence[str], number: int, stream: TextIO) -> bytes:
    """The prefix of the lines of process `number` in `stream`; all of them have the same width."""
    text = f"{names[number]:<{max(map(len, names))}} | "
    if shows_colours(stream):
        text = f"\x1b[{COLOURS[number % len(COLOURS)]}m{text}\x1b[0m"
    return text.encode()
