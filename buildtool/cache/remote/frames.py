"""zstd frames: made of files, and opened again without believing what they say of themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol, cast

CHUNK = 256 << 10
MAX_WINDOW = 8 << 20
"""Bytes of memory a frame may ask for when it is opened; ours ask for 2 MiB at most."""
LEVEL = 3


class BadAnswerError(Exception):
    """What came from the server is not what it should be; the text says what it is instead."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where one content is: the digest and size of the frame, the size of what is in it."""

    digest: str
    frame_size: int
    size: int


class Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


def zstd_frame(data: bytes) -> bytes:
    """`data` as one frame that says its size and checks itself."""
    import zstandard  # noqa: PLC0415 - only builds that ask a server need it

    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(data)


def compress(source: BinaryIO, frame: BinaryIO) -> tuple[str, int, str, int]:
    """Write `source` as one frame; (sha256 of source, its size, sha256 of frame, its size)."""
    import zstandard  # noqa: PLC0415

    content, packed = hashlib.sha256(), hashlib.sha256()
    size = packed_size = 0
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compressobj()
    while chunk := source.read(CHUNK):
        content.update(chunk)
        size += len(chunk)
        out = compressor.compress(chunk)
        packed.update(out)
        packed_size += frame.write(out)
    out = compressor.flush()
    packed.update(out)
    packed_size += frame.write(out)
    return content.hexdigest(), size, packed.hexdigest(), packed_size


def unpacked(frame: Readable, limit: int) -> Iterator[bytes]:
    """What is in the frame, in pieces of bounded size and never more than `limit` bytes in all.

    Raises `BadAnswerError` for what is no frame, one that is cut off, or one that holds more.
    """
    import zstandard  # noqa: PLC0415

    opener = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    total = 0
    try:
        with opener.stream_reader(
            cast("BinaryIO", frame), read_size=CHUNK, closefd=False
        ) as reader:
            while chunk := reader.read(min(CHUNK, limit - total + 1)):
                total += len(chunk)
                if total > limit:
                    raise BadAnswerError("more bytes than were announced")
                yield chunk
    except zstandard.ZstdError:
        raise BadAnswerError("bytes that are no zstd frame") from None


def receive(source: Readable, frame: Frame, content: str, out: Writable) -> None:
    """Write to `out` what is in the frame that `source` holds.

    Raises `BadAnswerError` unless the frame and what is in it have the announced sizes and sha256
    digests (`content` is that of what is in it).  What was written until then is of no use.
    """
    packed = _Hashed(source, frame.frame_size)
    digest = hashlib.sha256()
    size = 0
    for piece in unpacked(packed, frame.size):
        digest.update(piece)
        size += out.write(piece)
    while packed.read(CHUNK):  # what the frame's end left unread
        pass
    if packed.left:
        raise BadAnswerError("a blob that is cut off")
    if source.read(1):
        raise BadAnswerError("a blob without an end")
    if packed.digest.hexdigest() != frame.digest or digest.hexdigest() != content:
        raise BadAnswerError("a blob with other bytes than were stored")
    if size != frame.size:
        raise BadAnswerError("a blob of another size than was announced")


class _Hashed:
    """The first `left` bytes of a source, digested as they go by."""

    def __init__(self, source: Readable, left: int) -> None:
        self._source = source
        self.left = left
        self.digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        wanted = self.left if size < 0 else min(size, self.left)
        data = self._source.read(min(wanted, CHUNK)) if wanted else b""
        self.left -= len(data)
        self.digest.update(data)
        return data
