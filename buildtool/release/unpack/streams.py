"""Decompresses a stream in bounded memory, and notices when it is incomplete or goes on.

Each decompressor is a generator of pieces of at most a few hundred KiB, however far one packed
byte expands.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from buildtool.release.unpack.entry import (
    DamagedArchiveError,
    Limits,
    UnsafeArchiveError,
    check_size,
)

CHUNK = 256 << 10
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_RLE, _RESERVED = 1, 3
_LARGEST_BLOCK = 128 << 10

INCOMPLETE = "it ends before its data does"
TRAILING = "it has other data behind its end"


class Packed:
    """A part of a file, from its current position, with the number of bytes read from it."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self.position = 0

    def read(self, size: int = CHUNK) -> bytes:
        """Up to `size` bytes; b"" at the end."""
        data = self._file.read(min(size, self._size - self.position))
        self.position += len(data)
        return data

    def exactly(self, size: int) -> bytes:
        """`size` bytes; raises `DamagedArchiveError` at the end."""
        data = self.read(size)
        if len(data) < size:
            raise DamagedArchiveError(INCOMPLETE)
        return data


class Unpacked:
    """The decompressed bytes of `packed`, read in order and within the limits."""

    def __init__(self, pieces: Iterator[bytes], packed: Packed, limits: Limits) -> None:
        self._pieces = pieces
        self._packed = packed
        self._limits = limits
        self._piece = b""
        self._used = 0
        self._size = 0

    def exactly(self, size: int) -> bytes:
        """`size` bytes, which are few; raises `DamagedArchiveError` at the end."""
        return b"".join(self.pieces(size))

    def pieces(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes in pieces; raises `DamagedArchiveError` at the end."""
        while size:
            piece = self._take(size)
            if not piece:
                raise DamagedArchiveError(INCOMPLETE)
            size -= len(piece)
            yield piece

    def rest(self) -> Iterator[bytes]:
        """All bytes that follow."""
        while piece := self._take(CHUNK):
            yield piece

    def _take(self, most: int) -> bytes:
        while self._used == len(self._piece):
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._size += len(piece)
            check_size(self._size, self._packed.position, self._limits)
            self._piece, self._used = piece, 0
        start, self._used = self._used, min(self._used + most, len(self._piece))
        return self._piece[start : self._used]


def plain(packed: Packed, limits: Limits) -> Iterator[bytes]:
    """The bytes as they are."""
    del limits
    while piece := packed.read():
        yield piece


def gzip(packed: Packed, limits: Limits) -> Iterator[bytes]:
    """The content of one gzip member."""
    del limits
    return _with_limit(packed, zlib.decompressobj(wbits=31), zlib.error)


def xz(packed: Packed, limits: Limits) -> Iterator[bytes]:
    """The content of one .xz stream."""
    import lzma  # noqa: PLC0415 - only unpacking a .deb needs it

    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=limits.window)
    return _with_limit(packed, decompressor, lzma.LZMAError)


def zstd(packed: Packed, limits: Limits) -> Iterator[bytes]:
    """The content of one zstd frame.

    The library has no way to limit what one call returns, or to find the end of a frame.  A block
    holds at most 128 KiB, so the frame is passed to it block by block.  Source: RFC 8878, 3.1.1.
    """
    import zstandard  # noqa: PLC0415 - only unpacking needs it

    head = packed.exactly(5)
    if not head.startswith(ZSTD_MAGIC):
        raise DamagedArchiveError("it is not a zstd frame")
    try:
        head += packed.exactly(zstandard.frame_header_size(head) - len(head))
        frame = zstandard.get_frame_parameters(head)
        if frame.window_size > limits.window:
            raise UnsafeArchiveError(
                f"its decompression requires {frame.window_size:,} bytes of memory",
                why=f"the limit is {limits.window:,}",
                remedy="Compress it again without --long and --ultra.",
            )
        decompressor = zstandard.ZstdDecompressor(max_window_size=limits.window).decompressobj()
        yield decompressor.decompress(head)
        last = False
        while not last:
            block = packed.exactly(3)
            header = int.from_bytes(block, "little")
            last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
            if kind == _RESERVED or size > _LARGEST_BLOCK:
                raise DamagedArchiveError("it has an invalid zstd block")
            block += packed.exactly(1 if kind == _RLE else size)
            if last and frame.has_checksum:
                block += packed.exactly(4)
            yield decompressor.decompress(block)
    except zstandard.ZstdError as error:
        raise DamagedArchiveError("it has invalid zstd data", why=str(error)) from error
    if not decompressor.eof:
        raise DamagedArchiveError(INCOMPLETE)
    if packed.read(1):
        raise DamagedArchiveError(TRAILING)


def _with_limit(packed: Packed, decompressor: Any, failure: type[Exception]) -> Iterator[bytes]:
    """The content of a stream, by a decompressor of the standard library."""
    ahead = b""
    while not decompressor.eof:
        # zlib returns input that does not fit into the output, lzma keeps it.
        if not ahead and getattr(decompressor, "needs_input", True):
            ahead = packed.read()
        complete = not ahead
        try:
            piece = decompressor.decompress(ahead, CHUNK)
        except failure as error:
            raise DamagedArchiveError("it has invalid data", why=str(error)) from error
        if complete and not piece and not decompressor.eof:
            raise DamagedArchiveError(INCOMPLETE)
        ahead = getattr(decompressor, "unconsumed_tail", b"")
        yield piece
    if decompressor.unused_data or packed.read(1):
        raise DamagedArchiveError(TRAILING)


Decompress = Callable[[Packed, Limits], Iterator[bytes]]
DECOMPRESS: dict[str, Decompress] = {"": plain, ".gz": gzip, ".xz": xz, ".zst": zstd}
"""The decompressors by the suffix of the names of their files."""
