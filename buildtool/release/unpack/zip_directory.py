"""The headers of zip archives: the central directory, and the local header of each entry.

Source: PKWARE's APPNOTE.TXT, version 6.3.10.
"""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

from buildtool.core.value import Value
from buildtool.release.unpack.limits import DamagedArchiveError, Limits, UnsafeArchiveError
from buildtool.release.unpack.streams import INCOMPLETE

_END = struct.Struct("<4s4H2LH")
_END_MAGIC = b"PK\x05\x06"
_LOCATOR = struct.Struct("<4sLQL")
_LOCATOR_MAGIC = b"PK\x06\x07"
_END64 = struct.Struct("<4sQ2H2L4Q")
_END64_MAGIC = b"PK\x06\x06"
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_CENTRAL_MAGIC = b"PK\x01\x02"
_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MAGIC = b"PK\x03\x04"

_ENCRYPTED = 0x2041  # bits 0, 6 and 13
_PATCH = 0x20
HAS_DESCRIPTOR = 0x08
_UTF8 = 0x800
_ZIP64, _UNICODE_PATH, _AES = 0x0001, 0x7075, 0x9901
_UNKNOWN_16, _UNKNOWN_32 = 0xFFFF, 0xFFFFFFFF
_UNIX = 3


class Header(Value):
    """What both headers of an entry say; `mode` and `offset` are only in the central directory."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int = 0
    offset: int = 0


class Directory(Value):
    """The entries in the order of their data, and where the central directory starts."""

    entries: list[Header]
    start: int


def read_directory(file: BinaryIO, size: int, limits: Limits) -> Directory:
    """The central directory of an archive of `size` bytes.

    Raises `DamagedArchiveError`, `UnsafeArchiveError`.
    """
    count, length, start, end = _end_record(file, size)
    if start + length != end:
        raise DamagedArchiveError("its central directory is not where its end record says")
    if count > limits.entries or length > limits.entries * 46 + 4 * limits.names:
        raise UnsafeArchiveError(f"it has more than {limits.entries:,} entries, or long ones")
    file.seek(start)
    entries = [_central_header(file) for _ in range(count)]
    if file.tell() != end:
        raise DamagedArchiveError("its central directory has another length than its end record")
    return Directory(sorted(entries, key=lambda entry: entry.offset), start)


def read_local_header(file: BinaryIO, central: Header) -> Header:
    """The local header of the entry, from the file's current position.

    Sizes that follow the data are taken from the central directory.
    """
    magic, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _read(
        file, _LOCAL
    )
    if magic != _LOCAL_MAGIC:
        raise DamagedArchiveError("an entry is not where its central directory says")
    name = _name(_exactly(file, name_length), flags)
    extra = _extra(_exactly(file, extra_length))
    follows = flags & HAS_DESCRIPTOR and not crc and packed in (0, _UNKNOWN_32)
    if follows and size in (packed, central.size):
        crc, packed, size = central.crc, central.packed, central.size
    else:
        size, packed, _ = _long_numbers(extra, size, packed, 0)
    return Header(name, flags, method, crc, packed, size)


def _end_record(file: BinaryIO, size: int) -> tuple[int, int, int, int]:
    """The number of entries; the length, start and end of the central directory."""
    end = size - _END.size
    if end < 0:
        raise DamagedArchiveError("it is not a zip archive")
    file.seek(end)
    magic, *short, comment = _read(file, _END)
    if magic != _END_MAGIC or comment:
        raise DamagedArchiveError(
            "it is not a zip archive, is incomplete, or has a comment or other data behind its end"
        )
    numbers, end = _end64_record(file, end, short) or (short, end)
    disk, first, here, count, length, start = numbers
    if disk or first or here != count:
        raise DamagedArchiveError("it is one part of an archive of several files")
    return count, length, start, end


def _end64_record(file: BinaryIO, end: int, short: list[int]) -> tuple[list[int], int] | None:
    """The numbers of the zip64 end record and its position, if there is one before `end`."""
    located = end - _LOCATOR.size
    start = located - _END64.size
    if start < 0:
        return None
    file.seek(start)
    magic64, rest, _, _, *numbers = _read(file, _END64)
    magic, disk, offset, disks = _read(file, _LOCATOR)
    if magic != _LOCATOR_MAGIC:
        return None
    if (magic64, rest, disk, offset) != (_END64_MAGIC, _END64.size - 12, 0, start) or disks > 1:
        raise DamagedArchiveError("its zip64 end record is invalid")
    unknown = [_UNKNOWN_16] * 4 + [_UNKNOWN_32] * 2
    if any(a not in (b, most) for a, b, most in zip(short, numbers, unknown, strict=True)):
        raise UnsafeArchiveError("its two end records differ")
    return numbers, start


def _central_header(file: BinaryIO) -> Header:
    fields = _read(file, _CENTRAL)
    magic, made_by, _, flags, method, _, _, crc, packed, size = fields[:10]
    name_length, extra_length, comment_length, disk, _, attributes, offset = fields[10:]
    if magic != _CENTRAL_MAGIC:
        raise DamagedArchiveError("its central directory is invalid")
    name = _name(_exactly(file, name_length), flags)
    extra = _extra(_exactly(file, extra_length))
    _exactly(file, comment_length)
    if flags & _ENCRYPTED or _AES in extra:
        raise UnsafeArchiveError(
            f"the entry {name!r} is encrypted", remedy="Pack it again without a password."
        )
    if flags & _PATCH or disk not in (0, _UNKNOWN_16):
        raise DamagedArchiveError(f"the entry {name!r} is a patch, or in another file")
    size, packed, offset = _long_numbers(extra, size, packed, offset)
    mode = attributes >> 16 if made_by >> 8 == _UNIX else 0
    return Header(name, flags, method, crc, packed, size, mode, offset)


def _name(data: bytes, flags: int) -> str:
    """The name of an entry; one that is not UTF-8 gets control characters, which are refused."""
    if flags & _UTF8 or data.isascii():
        return data.decode(errors="surrogateescape")
    raise UnsafeArchiveError(
        f"the name of an entry is not marked as UTF-8: {data[:80]!r}",
        why="programs read it in different encodings",
    )


def _extra(data: bytes) -> dict[int, bytes]:
    """The extra fields of a header by their number."""
    fields: dict[int, bytes] = {}
    while len(data) >= 4:
        number, length = struct.unpack_from("<2H", data)
        if len(data) < 4 + length or number in fields:
            raise UnsafeArchiveError("an entry has an invalid or repeated extra field")
        fields[number] = data[4 : 4 + length]
        data = data[4 + length :]
    if any(data):  # Android's zipalign fills up with zeros
        raise UnsafeArchiveError("an entry has an invalid extra field")
    if _UNICODE_PATH in fields:
        raise UnsafeArchiveError(
            "an entry has a second name, in Info-ZIP's Unicode path field",
            why="programs differ in which name they use",
        )
    return fields


def _long_numbers(extra: dict[int, bytes], *short: int) -> tuple[int, int, int]:
    """Size, packed size and offset, in place of those that do not fit into 32 bits."""
    data = extra.get(_ZIP64, b"")
    numbers = []
    for number in short:
        if number == _UNKNOWN_32:
            if len(data) < 8:
                raise DamagedArchiveError("an entry has an invalid zip64 field")
            number, data = int.from_bytes(data[:8], "little"), data[8:]  # noqa: PLW2901
        numbers.append(number)
    size, packed, offset = numbers
    return size, packed, offset


def _read(file: BinaryIO, fields: struct.Struct) -> tuple[Any, ...]:
    return fields.unpack(_exactly(file, fields.size))


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise DamagedArchiveError(INCOMPLETE)
    return data
