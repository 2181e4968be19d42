"""Compresses files to zstd frames, and decompresses frames without trusting what they declare."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any, cast

from buildtool.cache.remote.requests import BadResponseError, report_progress
from buildtool.core.value import Value

if TYPE_CHECKING:
    from zstandard import ZstdCompressor

CHUNK = 256 << 10
MAX_WINDOW = 8 << 20
"""Bytes of memory that a frame may require for decompression; those made here require 2 MiB."""


class ZstdFrame(Value):
    """The frame of one file: its sha256 and size, and the size of the file."""

    digest: str
    frame_size: int
    size: int


class HashedStream:
    """Hashes and counts the bytes of a stream, and reports them as progress of the request.

    Reads end after `limit` bytes; a write beyond them raises `BadResponseError`.
    """

    def __init__(self, stream: Any, limit: int = sys.maxsize) -> None:
        self._stream = stream
        self._limit = limit
        self._sha256 = hashlib.sha256()
        self.size = 0

    @property
    def digest(self) -> str:
        return self._sha256.hexdigest()

    def read(self, size: int = CHUNK, /) -> bytes:
        size = min(size, self._limit - self.size)
        data: bytes = self._stream.read(size) if size else b""
        self._count(data)
        return data

    def write(self, data: bytes, /) -> int:
        if self.size + len(data) > self._limit:
            raise BadResponseError("more bytes than expected")
        self._count(data)
        self._stream.write(data)
        return len(data)

    def _count(self, data: bytes) -> None:
        self.size += len(data)
        self._sha256.update(data)
        report_progress(len(data))


def zstd_frame(data: bytes) -> bytes:
    """`data` as one frame that declares its size and has a checksum."""
    return _compressor().compress(data)


def compress(source: Any, target: Any) -> tuple[str, ZstdFrame]:
    """Write the binary stream `source` to `target` as one frame.

    Returns the sha256 of what was read, and the frame.
    """
    content, frame = HashedStream(source), HashedStream(target)
    _compressor().copy_stream(cast("Any", content), cast("Any", frame), read_size=CHUNK)
    return content.digest, ZstdFrame(frame.digest, frame.size, content.size)


def decompress(source: HashedStream, target: HashedStream) -> None:
    """Write the content of the frame in `source` to `target`, within the limits of both.

    Raises `BadResponseError` when it is not a frame or holds more.  An incomplete frame is not
    noticed: callers check size and digest.
    """
    import zstandard  # noqa: PLC0415 - only builds with a remote cache need it

    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    try:
        decompressor.copy_stream(cast("Any", source), cast("Any", target), CHUNK, CHUNK)
    except zstandard.ZstdError:
        raise BadResponseError("data that is not a zstd frame") from None


def receive(response: Any, frame: ZstdFrame, content: str, target: Any) -> None:
    """Write the content of `frame`, the body of `response`, to the binary stream `target`.

    Raises `BadResponseError` unless both have their sizes and digests (`content` is the sha256 of
    the content); the bytes written so far are then invalid.
    """
    packed = HashedStream(response, frame.frame_size)
    unpacked = HashedStream(target, frame.size)
    decompress(packed, unpacked)
    if packed.size < frame.frame_size:
        raise BadResponseError("an incomplete blob")
    if response.read(1):
        raise BadResponseError("a blob with more bytes than expected")
    if ZstdFrame(packed.digest, packed.size, unpacked.size) != frame or unpacked.digest != content:
        raise BadResponseError("a blob with data other than was stored")


def _compressor() -> ZstdCompressor:
    import zstandard  # noqa: PLC0415 - as above

    return zstandard.ZstdCompressor(level=3, write_checksum=True)
