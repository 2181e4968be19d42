"""Reads zip archives, which wheels and Android's .aar files are too.

The standard library reads them.  It goes by the central directory, as pip and Android do.  What it
takes from the archive without a limit, and what programs read in different ways, is checked here.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from buildtool.release.unpack.entry import (
    MAX_TARGET,
    ArchiveEntry,
    DamagedArchiveError,
    Limits,
    UnsafeArchiveError,
    check_mode,
    check_size,
    entry_path,
)
from buildtool.release.unpack.streams import CHUNK
from buildtool.release.unpack.tar_archive import Member

_INVALID = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(RuntimeError, ValueError, OverflowError),
)
"""The errors of the standard library's reader."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UTF8 = 0x800
_UNIX = 3


class _Bounded:
    """The file for the standard library, which takes positions from the archive, and the size of
    the central directory, which it reads at once."""

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file = file
        self._limits = limits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def read(self, size: int = -1) -> bytes:
        if size > 100 * self._limits.entries + self._limits.names:
            raise _too_many_entries(self._limits)
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == 0 and offset < 0:
            raise zipfile.BadZipFile("a position before the start of the file")
        return self._file.seek(offset, whence)


def zip_members(file: BinaryIO, size: int, limits: Limits) -> Iterator[Member]:
    """The entries of a zip archive of `size` bytes, with the pieces of their content.

    Raises `DamagedArchiveError`, `UnsafeArchiveError`.
    """
    try:
        with zipfile.ZipFile(cast("BinaryIO", _Bounded(file, limits))) as archive:
            entries = archive.infolist()
            if len(entries) > limits.entries:
                raise _too_many_entries(limits)
            # No more is read of an entry than the size that it declares.
            check_size(sum(entry.file_size for entry in entries), size, limits)
            for entry in entries:
                yield from _member(archive, entry, limits)
    except _INVALID as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> DamagedArchiveError:
    return DamagedArchiveError("it is not a valid zip archive", why=str(error))


def _too_many_entries(limits: Limits) -> UnsafeArchiveError:
    return UnsafeArchiveError(f"it has more than {limits.entries:,} entries, or long ones")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> Iterator[Member]:
    name = info.orig_filename  # `filename` ends at a zero byte
    if not info.flag_bits & _UTF8 and not name.isascii():
        raise UnsafeArchiveError(
            f"the name of the entry {name!r} is not marked as UTF-8",
            why="programs read it in different encodings",
        )
    if info.compress_type not in _METHODS:
        raise DamagedArchiveError(
            f"the entry {name!r} is compressed by the method {info.compress_type}",
            why="known: stored (0) and deflated (8)",
            remedy="Pack it again with deflate.",
        )
    is_directory = name.endswith("/")
    path = entry_path(name, limits, directory=is_directory)
    attributes = info.external_attr >> 16 if info.create_system == _UNIX else 0
    kind = stat.S_IFMT(attributes)
    content = _content(archive, info)
    if kind == stat.S_IFLNK and not is_directory:
        if info.file_size > MAX_TARGET:
            raise UnsafeArchiveError(f"the link {path!r} has a target of {info.file_size:,} bytes")
        target = b"".join(content).decode(errors="surrogateescape")
        yield ArchiveEntry(path, "link", 0o777, 0, target), iter(())
    elif kind not in (0, stat.S_IFDIR if is_directory else stat.S_IFREG):
        raise UnsafeArchiveError(
            f"the entry {path!r} is not what its name says, or a device or a named pipe",
            why="releases have files, directories and symbolic links only",
        )
    elif is_directory:
        if info.file_size:
            raise UnsafeArchiveError(f"the entry {path!r} has content, and is not a file")
        if path:
            yield ArchiveEntry(path, "directory", 0o755), iter(())
    else:
        mode = check_mode(path, stat.S_IMODE(attributes) if attributes else 0o644)
        yield ArchiveEntry(path, "file", mode, info.file_size), content
        for _ in content:  # what the caller did not read
            pass


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content of the entry in pieces, at most its size; the checksum is compared."""
    size = 0
    try:
        with archive.open(info) as file:
            while piece := file.read(CHUNK):
                size += len(piece)
                yield piece
        if size != info.file_size:
            raise zipfile.BadZipFile(f"the entry {info.orig_filename!r} has another size")
    except _INVALID as error:  # it may be read outside of zip_members
        raise _damaged(error) from error
