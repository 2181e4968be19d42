"""Reads which symbols the relocations of a Hexagon file use.

A linker can leave a symbol undefined that nothing uses.  A loader does not look such a symbol up.
Source of the layout: System V ABI, "Relocation"; Hexagon's files have DT_RELA and DT_JMPREL.
"""

from __future__ import annotations

import struct

from buildtool.core.elf.file import ElfFile

TABLES = (("DT_RELA", "DT_RELASZ"), ("DT_JMPREL", "DT_PLTRELSZ"))
MAX_BYTES = 64 << 20
_RELA = struct.Struct("<IIi")  # offset, symbol << 8 | type, addend


def relocated_symbols(file: ElfFile) -> frozenset[int]:
    """The indexes of the symbols that relocations of a 32-bit little-endian file use.

    Raises `ValueError` for invalid tables.
    """
    tags = file.dynamic
    used: set[int] = set()
    for start, size in TABLES:
        length = tags.get(size, 0)
        if not length or start not in tags:
            continue
        if length > MAX_BYTES or length % _RELA.size:
            raise ValueError(f"its table {start} claims to have {length} bytes")
        table = file.read(file.offset_of(tags[start]), length)
        if len(table) != length:
            raise ValueError(f"its table {start} ends after the file")
        used.update(info >> 8 for _, info, _ in _RELA.iter_unpack(table))
    return frozenset(used)
