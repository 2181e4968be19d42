"""Output of any size, of which the beginning and the end are kept."""

from __future__ import annotations

from buildtool.core.value import Value

END_BYTES = 1 << 20
"""Bytes that are kept of each end."""


class Kept(Value):
    """The beginning and the end of what was written, with `omitted` bytes between them.

    Without omitted bytes, `head` is everything.
    """

    head: bytes = b""
    omitted: int = 0
    tail: bytes = b""


class BothEnds:
    """Keeps `limit` bytes of the beginning and as many of the end."""

    def __init__(self, limit: int = END_BYTES) -> None:
        self._limit = limit
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0

    def add(self, data: bytes) -> None:
        self._size += len(data)
        room = self._limit - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._limit:  # seldom: each time copies the end
            del self._tail[: -self._limit]

    def kept(self) -> Kept:
        tail = bytes(self._tail[-self._limit :])
        omitted = self._size - len(self._head) - len(tail)
        if not omitted:
            return Kept(bytes(self._head) + tail)
        return Kept(bytes(self._head), omitted, tail)
