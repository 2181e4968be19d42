"""Reads the names and sizes of an ELF file's sections with two reads.

Layout: System V ABI, "Section Header".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

MAX_SECTIONS = 1 << 16  # more only in object files
MAX_NAMES = 1 << 24  # bytes


def section_names(elf: Any, stream: Any) -> Iterator[str]:
    """The names of the sections of `elf` (pyelftools); none if it has no section table.

    Raises `ValueError` and `struct.error` for an invalid table; the caller bounds reads of
    `stream`.
    """
    return (name for name, _, _ in sections(elf, stream))


def sections(elf: Any, stream: Any) -> Iterator[tuple[str, int, int]]:
    """The same with the flags (SHF_…) and the size in bytes of each section."""
    count = elf.num_sections() if elf.header["e_shoff"] else 0
    if count > MAX_SECTIONS:
        raise ValueError(f"it claims to have {count} sections")
    if not count:
        return
    order = "<" if elf.little_endian else ">"
    layout = struct.Struct(order + ("IIQQQQ" if elf.elfclass == 64 else "IIIIII"))
    size = elf.header["e_shentsize"]
    if size < layout.size:
        raise ValueError(f"its section headers have {size} bytes")
    stream.seek(elf.header["e_shoff"])
    table = stream.read(count * size)
    rows = [layout.unpack_from(table, index * size) for index in range(count)]
    names = elf.get_shstrndx()
    if names >= count:
        return  # the sections have no names
    stream.seek(rows[names][4])
    texts = stream.read(min(rows[names][5], MAX_NAMES))
    for row in rows:
        name = texts[row[0] : row[0] + 256].partition(b"\0")[0].decode(errors="replace")
        yield name, row[2], row[5]
