"""Reads tar archives: ustar, pax and GNU, without sparse files, hard links and device files.

Headers are parsed by the standard library.  Its reader of whole archives takes the lengths of
extended headers from the archive and reads as much, so those are read here.
Source: POSIX.1-2017, pax; "Basic Tar Format" in the manual of GNU tar.

Reads the files of Debian packages.  Source: deb(5), ar(5).
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from typing import BinaryIO, NoReturn

from buildtool.release.unpack.entry import (
    ArchiveEntry,
    DamagedArchiveError,
    Limits,
    UnsafeArchiveError,
    check_mode,
    entry_path,
)
from buildtool.release.unpack.streams import DECOMPRESS, INCOMPLETE, TRAILING, Packed, Unpacked

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
        yield from _member(header, stream, limits)
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


def _member(header: tarfile.TarInfo, stream: Unpacked, limits: Limits) -> Iterator[Member]:
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
