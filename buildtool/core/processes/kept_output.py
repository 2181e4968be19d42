"""Output of any size, of which the beginning and the end are kept."""

from __future__ import annotations

from buildtool.core.value import Value


class Kept(Value):
    """The beginning and the end of what was written, with `omitted` bytes between them.

    Without omitted bytes, `head` is everything.
    """

    head: bytes = b""
    omitted: int = 0
    tail: bytes = b""

    @property
    def note(self) -> bytes:
        """The line in place of what was omitted; empty if nothing was."""
        if not self.omitted:
            return b""
        before = "\n" if self.head else ""
        return f"{before}[... {self.omitted:,} bytes are omitted here ...]\n".encode()

    @property
    def data(self) -> bytes:
        """The kept output."""
        return self.head + self.note + self.tail

    @property
    def text(self) -> str:
        """The kept output, decoded; bytes that are not UTF-8 as in file names (PEP 383)."""
        return self.data.decode(errors="surrogateescape")


class KeptOutput:
    """Keeps the first `head` and the last `tail` bytes of what is added."""

    def __init__(self, *, head: int = 0, tail: int) -> None:
        self._head_size = head
        self._tail_size = tail
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0

    def add(self, data: bytes) -> None:
        """Add what was written next."""
        self._size += len(data)
        room = self._head_size - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._tail_size:  # seldom: each time copies the end
            del self._tail[: -self._tail_size]

    def kept(self) -> Kept:
        """The kept part of all output that was added until now."""
        tail = bytes(self._tail[-self._tail_size :])
        omitted = self._size - len(self._head) - len(tail)
        if not omitted:
            return Kept(bytes(self._head) + tail)
        return Kept(bytes(self._head), omitted, tail)
