"""The end of what programs write to a descriptor."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

CHUNK = 1 << 16
LINGER_SECONDS = 1.0
"""How long a process that outlives the program may keep the descriptor open."""


class Captured:
    """What was written, at most the last `limit` bytes; `total` is the number of all bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0
        self._data = bytearray()

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self._data += data
        if len(self._data) > 2 * self.limit:
            del self._data[: -self.limit]

    @property
    def data(self) -> bytes:
        return bytes(self._data[-self.limit :])

    @property
    def text(self) -> str:
        """The output decoded; bytes that are not UTF-8 as in file names (PEP 383)."""
        text = self.data.decode(errors="surrogateescape")
        left_out = self.total - len(self.data)
        return f"[{left_out:,} bytes left out]\n{text}" if left_out > 0 else text


@contextlib.contextmanager
def captured(limit: int) -> Iterator[tuple[int, Captured]]:
    """A descriptor for the block, and what was written to it, which is complete after the block."""
    found = Captured(limit)
    read, write = os.pipe()

    def keep() -> None:
        with contextlib.suppress(OSError):
            while data := os.read(read, CHUNK):
                found.add(data)

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield write, found
    finally:
        os.close(write)
        thread.join(LINGER_SECONDS)
        if not thread.is_alive():
            os.close(read)
