"""Reads the section table of an ELF file, its notes, and the relocations of a Hexagon file.

Layout: System V ABI, "Section Header".

Layout: System V ABI, "Note Section".

A linker can leave a symbol undefined that nothing uses.  A loader does not look such a symbol up.
Source of the layout: System V ABI, "Relocation"; Hexagon's files have DT_RELA and DT_JMPREL.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from buildtool.core.elf.file import PT_NOTE, ElfFile
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


MAX_NOTES = 1 << 20  # bytes of one segment; real ones have a few hundred
OWNER = "buildtool"
_BUILD_ID = ("GNU", 3)  # NT_GNU_BUILD_ID
_ANDROID = ("Android", 1)  # NT_ANDROID_TYPE_IDENT: the API level, then the NDK


class Notes(Value):
    """The contents of the notes of a file.

    `digests` are the descriptors of the notes whose owner is this tool; `build_id` is "" and
    `android_api` is 0 if there is no such note.
    """

    digests: tuple[str, ...]
    build_id: str
    android_api: int


def read_notes(file: ElfFile) -> Notes:
    """The notes in the NOTE segments of `file`; raises `ValueError` if they are too large."""
    order = file.order
    digests, build_id, android_api = [], "", 0
    for segment in file.segments:
        if segment.kind != PT_NOTE:
            continue
        if segment.file_size > MAX_NOTES:
            raise ValueError("its notes have no end")
        data = file.read(segment.offset, segment.file_size)
        for owner, kind, content in _notes(data, order, 8 if segment.alignment == 8 else 4):
            if owner == OWNER and content:
                digests.append(content.hex())
            elif (owner, kind) == _BUILD_ID:
                build_id = content.hex()
            elif (owner, kind) == _ANDROID and len(content) >= 4:
                android_api = struct.unpack_from(order + "I", content)[0]
    return Notes(tuple(digests), build_id, android_api)


def _notes(data: bytes, order: str, alignment: int) -> Iterator[tuple[str, int, bytes]]:
    at = 0
    while at + 12 <= len(data):
        owner_size, size, kind = struct.unpack_from(order + "III", data, at)
        start = _aligned(at + 12 + owner_size, alignment)
        if start + size > len(data):
            return  # loaders do not read notes, so the file is not damaged
        owner = data[at + 12 : at + 12 + owner_size].rstrip(b"\0").decode(errors="replace")
        yield owner, kind, data[start : start + size]
        at = _aligned(start + size, alignment)


def _aligned(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) & -alignment


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
