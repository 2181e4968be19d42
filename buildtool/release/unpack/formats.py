"""Reads tar archives (ustar, pax and GNU, without sparse files, hard links and device files), the
files of Debian packages, and zip archives, which wheels and .aar files of Android are too.

Headers of tar are parsed by the standard library.  Its reader of whole archives takes the lengths
of extended headers from the archive and reads as much, so those are read here.  Source:
POSIX.1-2017, pax; "Basic Tar Format" in the manual of GNU tar; deb(5), ar(5).

The standard library reads zip archives by the central directory, as pip and Android do.  What it
takes from the archive without a limit, and what programs read in different ways, is checked here.
"""

from __future__ import annotations

import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn, cast

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
from buildtool.release.unpack.streams import (
    CHUNK,
    DECOMPRESS,
    INCOMPLETE,
    TRAILING,
    Packed,
    Unpacked,
)

BLOCK = 512
MAX_HEADER = 64 << 10
"""The largest extended header in bytes: paths are shorter, and nothing else in it is used."""
_USTAR, _GNU = b"ustar\x0000", b"ustar  \x00"
_GLOBAL, _LOCAL, _LONG_NAME, _LONG_LINK = b"g", b"x", b"L", b"K"
_EXTENDED = (_GLOBAL, _LOCAL, _LONG_NAME, _LONG_LINK)
_KINDS = {
    b"1": "a hard link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a named pipe",
    b"7": "a contiguous file",
    b"S": "a sparse file",
}
_IGNORED = {"mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "comment", "charset"}
_IGNORED_VENDORS = ("SCHILY.", "LIBARCHIVE.")
_USED = {"path": "name", "linkpath": "linkname", "size": "size"}

Member = tuple[ArchiveEntry, Iterator[bytes]]


def tar_members(stream: Unpacked, limits: Limits) -> Iterator[Member]:
    """The entries of a tar archive with the pieces of their content, in order.

    Raises `DamagedArchiveError`, `UnsafeArchiveError`.
    """
    extended: dict[str, str] = {}
    while True:
        block = stream.exactly(BLOCK)
        if not any(block):
            break
        header = _header(block)
        if header.type in _EXTENDED:
            _extend(extended, header, stream)
            continue
        for field, value in extended.items():
            setattr(header, field, int(value) if field == "size" else value)
        extended = {}
        yield from _tar_member(header, stream, limits)
    if extended:
        raise DamagedArchiveError("its last header belongs to no entry")
    if any(stream.exactly(BLOCK)) or any(any(piece) for piece in stream.rest()):
        raise DamagedArchiveError(TRAILING)


def _header(block: bytes) -> tarfile.TarInfo:
    magic = block[257:265]
    prefixed = any(block[345:500]) and block[156:157] != tarfile.GNUTYPE_SPARSE
    if magic not in (_USTAR, _GNU) or (magic == _GNU and prefixed):
        raise DamagedArchiveError("it has a header that is neither ustar, pax nor GNU tar")
    for start, length in ((0, 100), (157, 100), (345, 155)):
        if any(block[start : start + length].partition(b"\0")[2]):
            raise UnsafeArchiveError("a name in it has bytes after its end")
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError) as error:
        raise DamagedArchiveError("it has an invalid header", why=str(error)) from error
    if header.size < 0 or header.mode < 0:
        raise DamagedArchiveError("it has a header with a negative number")
    return header


def _extend(extended: dict[str, str], header: tarfile.TarInfo, stream: Unpacked) -> None:
    """Add what an extended header says about the next entry."""
    if header.size > MAX_HEADER:
        raise UnsafeArchiveError(
            f"it has an extended header of {header.size:,} bytes",
            why=f"the limit is {MAX_HEADER:,}",
        )
    data = stream.exactly(header.size)
    _skip_padding(header.size, stream)
    if header.type in (_LOCAL, _GLOBAL):
        records = [(_USED[key], value) for key, value in _pax_records(data) if key in _USED]
        found, twice = dict(records), len(dict(records)) < len(records)
    else:
        field = "name" if header.type == _LONG_NAME else "linkname"
        text = data.removesuffix(b"\0").decode(errors="surrogateescape")
        found, twice = {field: text}, False
    if twice or (header.type == _GLOBAL and found) or extended.keys() & found.keys():
        raise UnsafeArchiveError(
            "its extended headers set the name or size of an entry twice, or of all entries"
        )
    if not re.fullmatch("[0-9]{1,19}", found.get("size", "0")):
        raise DamagedArchiveError("it has an extended header with an invalid size")
    extended.update(found)


def _pax_records(data: bytes) -> Iterator[tuple[str, str]]:
    """The keys and values of records `LENGTH KEY=VALUE\\n`."""
    while data:
        digits, blank, _ = data[:8].partition(b" ")
        length = int(digits) if digits.isdigit() else 0
        key, equals, value = data[len(digits) + 1 : length].partition(b"=")
        if not blank or not equals or not value.endswith(b"\n") or length > len(data):
            raise DamagedArchiveError("it has an invalid pax header")
        name = key.decode(errors="replace")
        if name not in _USED and name not in _IGNORED and not name.startswith(_IGNORED_VENDORS):
            raise UnsafeArchiveError(
                f"it has a pax header with the unknown key {name[:80]!r}",
                why="such keys change names, sizes or contents, as those of sparse files do",
            )
        yield name, value[:-1].decode(errors="surrogateescape")
        data = data[length:]


def _tar_member(header: tarfile.TarInfo, stream: Unpacked, limits: Limits) -> Iterator[Member]:
    # The standard library removes the closing slash of a directory's name.
    path = entry_path(header.name, limits, directory=header.type == tarfile.DIRTYPE)
    if header.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
        if header.linkname:
            raise UnsafeArchiveError(f"the file {path!r} has the target of a link")
        entry = ArchiveEntry(path, "file", check_mode(path, header.mode), header.size)
        content = stream.pieces(header.size)
        yield entry, content
        for _ in content:  # what the caller did not read
            pass
        _skip_padding(header.size, stream)
        return
    if header.type not in (tarfile.DIRTYPE, tarfile.SYMTYPE):
        _refuse(path, header.type)
    if header.size:
        raise UnsafeArchiveError(f"the entry {path!r} has content, and is not a file")
    if header.type == tarfile.SYMTYPE:
        yield ArchiveEntry(path, "link", 0o777, 0, header.linkname), iter(())
    elif path:
        yield ArchiveEntry(path, "directory", header.mode), iter(())


def _refuse(path: str, kind: bytes) -> NoReturn:
    raise UnsafeArchiveError(
        f"the entry {path!r} is {_KINDS.get(kind, f'of the unknown type {kind!r}')}",
        why="releases have files, directories and symbolic links only",
        remedy="Pack it again with tar --hard-dereference." if kind == tarfile.LNKTYPE else "",
    )


def _skip_padding(size: int, stream: Unpacked) -> None:
    if any(stream.exactly(-size % BLOCK)):
        raise UnsafeArchiveError("it has data between its entries")


_MAGIC = b"!<arch>\n"
_END = b"`\n"
_VERSION = b"2.0\n"


def deb_members(file: BinaryIO, size: int, limits: Limits) -> Iterator[Member]:
    """The entries that the package installs, with the pieces of their content.

    The package's control files are not read.  Raises `DamagedArchiveError`, `UnsafeArchiveError`.
    """
    whole = Packed(file, size)
    if whole.exactly(len(_MAGIC)) != _MAGIC:
        raise DamagedArchiveError("it is not a Debian package")
    name, length = _ar_header(whole)
    if name != "debian-binary" or length != len(_VERSION) or whole.exactly(length) != _VERSION:
        raise DamagedArchiveError("it is not a Debian package of format 2.0")
    name, length = _ar_header(whole)
    if not name.startswith("control.tar"):
        raise DamagedArchiveError(f"its second member is {name!r} instead of control.tar")
    remaining = length + length % 2
    while remaining:
        remaining -= len(whole.exactly(min(remaining, 256 << 10)))
    name, length = _ar_header(whole)
    suffix = name.removeprefix("data.tar")
    if suffix == name or suffix not in DECOMPRESS:
        raise DamagedArchiveError(
            f"its third member is {name!r}",
            why=f"known: {', '.join(f'data.tar{each}' for each in DECOMPRESS)}",
        )
    data = Packed(file, length)
    yield from tar_members(Unpacked(DECOMPRESS[suffix](data, limits), data, limits), limits)
    if data.position < length:
        raise DamagedArchiveError(INCOMPLETE)
    padding = file.read(2)
    if padding != (b"\n" if length % 2 else b""):
        raise DamagedArchiveError(TRAILING)


def _ar_header(whole: Packed) -> tuple[str, int]:
    """The name and the size of the next member."""
    header = whole.exactly(60)
    digits = header[48:58].rstrip(b" ")
    if header[58:] != _END or not digits.isdigit():
        raise DamagedArchiveError("it has an invalid header of a member")
    return header[:16].decode(errors="replace").rstrip(" ").removesuffix("/"), int(digits)


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
                yield from _zip_member(archive, entry, limits)
    except _INVALID as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> DamagedArchiveError:
    return DamagedArchiveError("it is not a valid zip archive", why=str(error))


def _too_many_entries(limits: Limits) -> UnsafeArchiveError:
    return UnsafeArchiveError(f"it has more than {limits.entries:,} entries, or long ones")


def _zip_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits
) -> Iterator[Member]:
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
