"""Reads zip archives, which wheels and Android's .aar files are too.

A zip archive says everything twice, and has room for data that belongs to no entry, so two programs
can find different files in it.  Here both headers of each entry must agree, and the entries must
follow each other without gaps, from the first byte to the central directory.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from buildtool.release.unpack.entry import MAX_TARGET, Entry, check_mode, entry_path
from buildtool.release.unpack.limits import (
    DamagedArchiveError,
    Limits,
    UnsafeArchiveError,
    check_size,
)
from buildtool.release.unpack.streams import CHUNK, Packed
from buildtool.release.unpack.tar_archive import Member
from buildtool.release.unpack.zip_directory import (
    HAS_DESCRIPTOR,
    Header,
    read_directory,
    read_local_header,
)

_DESCRIPTOR = b"PK\x07\x08"
_STORED, _DEFLATED = 0, 8
_HINTS = 0x06
"""The bits of `flags` that only say how well the compressor tried."""


def zip_members(file: BinaryIO, size: int, limits: Limits) -> Iterator[Member]:
    """The entries of a zip archive with the pieces of their content, in the order of the data.

    Raises `DamagedArchiveError`, `UnsafeArchiveError`.
    """
    directory = read_directory(file, size, limits)
    # The sizes that are declared are those that the content must have.
    check_size(sum(entry.size for entry in directory.entries), directory.start, limits)
    file.seek(0)
    starts = [entry.offset for entry in directory.entries] + [directory.start]
    for central, end in zip(directory.entries, starts[1:], strict=True):
        if file.tell() != central.offset:
            raise UnsafeArchiveError(
                f"the entry {central.name!r} overlaps another one, or other data is before it"
            )
        local = read_local_header(file, central)
        if not _agree(local, central):
            raise UnsafeArchiveError(
                f"the two headers of the entry {central.name!r} differ",
                why="programs differ in which one they use",
            )
        if file.tell() + central.packed > end:
            raise UnsafeArchiveError(f"the entry {central.name!r} overlaps the next one")
        yield from _member(file, central, limits)
        _check_descriptor(file.read(min(end - file.tell(), 25)), central)
    if file.tell() != directory.start:
        raise UnsafeArchiveError("it has data that belongs to no entry")


def _agree(local: Header, central: Header) -> bool:
    flags = local.flags & ~_HINTS | central.flags & _HINTS
    return local._replace(flags=flags, mode=central.mode, offset=central.offset) == central


def _member(file: BinaryIO, header: Header, limits: Limits) -> Iterator[Member]:
    is_directory = header.name.endswith("/")
    path = entry_path(header.name, limits, directory=is_directory)
    kind = stat.S_IFMT(header.mode)
    content = _content(file, header)
    if kind == stat.S_IFLNK and not is_directory:
        if header.size > MAX_TARGET:
            raise UnsafeArchiveError(f"the link {path!r} has a target of {header.size:,} bytes")
        target = b"".join(content).decode(errors="surrogateescape")
        yield Entry(path, "link", 0o777, 0, target), iter(())
    elif kind not in (0, stat.S_IFDIR if is_directory else stat.S_IFREG):
        raise UnsafeArchiveError(
            f"the entry {path!r} is not what its name says, or a device or a named pipe",
            why="releases have files, directories and symbolic links only",
        )
    elif is_directory:
        if header.size:
            raise UnsafeArchiveError(f"the entry {path!r} has content, and is not a file")
        for _ in content:
            pass
        if path:
            yield Entry(path, "directory", 0o755), iter(())
    else:
        mode = check_mode(path, stat.S_IMODE(header.mode) if header.mode else 0o644)
        yield Entry(path, "file", mode, header.size), content
        for _ in content:  # what the caller did not read
            pass


def _content(file: BinaryIO, header: Header) -> Iterator[bytes]:
    """The content of the entry in pieces; its size and checksum are compared."""
    packed = Packed(file, header.packed)
    if header.method == _STORED:
        pieces = iter(packed.read, b"")
    elif header.method == _DEFLATED:
        pieces = _inflate(packed, header.name)
    else:
        raise DamagedArchiveError(
            f"the entry {header.name!r} is compressed by the method {header.method}",
            why="known: stored (0) and deflated (8)",
            remedy="Pack it again with deflate.",
        )
    size = checksum = 0
    for piece in pieces:
        size += len(piece)
        checksum = zlib.crc32(piece, checksum)
        if size > header.size:
            break
        yield piece
    if (size, checksum, packed.position) != (header.size, header.crc, header.packed):
        raise DamagedArchiveError(f"the content of the entry {header.name!r} is damaged")


def _inflate(packed: Packed, name: str) -> Iterator[bytes]:
    decompressor = zlib.decompressobj(wbits=-15)
    ahead = b""
    while not decompressor.eof:
        ahead = ahead or packed.read()
        complete = not ahead
        try:
            piece = decompressor.decompress(ahead, CHUNK)
        except zlib.error as error:
            raise DamagedArchiveError(
                f"the content of the entry {name!r} is damaged", why=str(error)
            ) from error
        if complete and not piece:
            break
        ahead = decompressor.unconsumed_tail
        yield piece
    if not decompressor.eof or decompressor.unused_data:
        raise DamagedArchiveError(f"the content of the entry {name!r} is damaged")


def _check_descriptor(data: bytes, header: Header) -> None:
    """Check what is between the content of an entry and the next header."""
    numbers = (header.crc, header.packed, header.size)
    known = [b""]
    if header.flags & HAS_DESCRIPTOR:
        short = [] if max(numbers) > 0xFFFFFFFF else [struct.pack("<3L", *numbers)]
        bodies = [*short, struct.pack("<L2Q", *numbers)]
        known = [magic + body for magic in (_DESCRIPTOR, b"") for body in bodies]
    if data not in known:
        raise UnsafeArchiveError(f"the entry {header.name!r} is followed by other data")
