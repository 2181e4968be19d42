"""A file that can be read only so often, for parsers of untrusted files."""

from __future__ import annotations

from typing import BinaryIO

MAX_READS = 300_000  # a large library takes some 100,000; more means that the file is malicious
MAX_BYTES_READ = 64 << 20


class BoundedStream:
    """A file that raises `ValueError` after too many reads: counts in an ELF file may be wrong."""

    def __init__(self, stream: BinaryIO) -> None:
        self.seek, self.tell, self.close = stream.seek, stream.tell, stream.close
        self.name = stream.name
        self._stream = stream
        self._reads = 0
        self._bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size if 0 <= size <= MAX_BYTES_READ else MAX_BYTES_READ + 1)
        self._reads += 1
        self._bytes += len(data)
        if self._reads > MAX_READS or self._bytes > MAX_BYTES_READ:
            raise ValueError("its tables have no end")
        return data
