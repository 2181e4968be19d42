"""Reads the table of an ELF file's sections with two reads.

Layout: System V ABI, "Section Header".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from buildtool.core.elf.file import ElfFile
from buildtool.core.value import Value

MAX_SECTIONS = 1 << 16  # more only in object files
MAX_NAMES = 1 << 24  # bytes
_IN_FIRST_ROW = 0xFFFF  # SHN_XINDEX


class Section(Value):
    """A row of the section table: `flags` are SHF_…, and sizes are in bytes."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int


def sections(file: ElfFile) -> Iterator[Section]:
    """The sections of a file; none if it has no section table.

    Raises `ValueError` and `struct.error` for an invalid table.
    """
    offset, size, count, names = file.sections
    if not offset:
        return
    layout = struct.Struct(file.order + ("IIQQQQI" if file.bits == 64 else "7I"))
    if size < layout.size:
        raise ValueError(f"its section headers have {size} bytes")
    first = layout.unpack(file.read(offset, layout.size))
    count = count or first[5]
    names = first[6] if names == _IN_FIRST_ROW else names
    if count > MAX_SECTIONS:
        raise ValueError(f"it claims to have {count} sections")
    table = file.read(offset, count * size)
    rows = [layout.unpack_from(table, index * size) for index in range(count)]
    if names >= count:
        return  # the sections have no names
    texts = file.read(rows[names][4], min(rows[names][5], MAX_NAMES))
    for row in rows:
        name = texts[row[0] : row[0] + 256].partition(b"\0")[0].decode(errors="replace")
        yield Section(name, *row[1:6])
