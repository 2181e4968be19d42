"""Reads the files of Debian packages.  Source: deb(5), ar(5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from buildtool.release.unpack.entry import DamagedArchiveError, Limits
from buildtool.release.unpack.streams import DECOMPRESS, INCOMPLETE, TRAILING, Packed, Unpacked
from buildtool.release.unpack.tar_archive import Member, tar_members

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
    name, length = _header(whole)
    if name != "debian-binary" or length != len(_VERSION) or whole.exactly(length) != _VERSION:
        raise DamagedArchiveError("it is not a Debian package of format 2.0")
    name, length = _header(whole)
    if not name.startswith("control.tar"):
        raise DamagedArchiveError(f"its second member is {name!r} instead of control.tar")
    remaining = length + length % 2
    while remaining:
        remaining -= len(whole.exactly(min(remaining, 256 << 10)))
    name, length = _header(whole)
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


def _header(whole: Packed) -> tuple[str, int]:
    """The name and the size of the next member."""
    header = whole.exactly(60)
    digits = header[48:58].rstrip(b" ")
    if header[58:] != _END or not digits.isdigit():
        raise DamagedArchiveError("it has an invalid header of a member")
    return header[:16].decode(errors="replace").rstrip(" ").removesuffix("/"), int(digits)
