"""Reads ELF files without a library: header, segments, dynamic segment, sections, notes, machine.

Layout: System V ABI, "ELF Header", "Program Header", "Dynamic Section", "Section Header", "Note
Section", "Relocation".  Of relocations only those of a Hexagon file are read, which has DT_RELA and
DT_JMPREL: a linker can leave a symbol undefined that nothing uses, and a loader does not look such
a symbol up.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from buildtool.core.value import Value

MAGIC = b"\x7fELF"
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_TLS, PT_GNU_STACK = 1, 2, 3, 4, 7, 0x6474E551
KINDS = {1: "REL", 2: "EXEC", 3: "DYN", 4: "CORE"}
MAX_NAME = 4096
MAX_DYNAMIC = 1 << 20  # bytes; large libraries have some hundreds
_TAGS = {
    **{1: "DT_NEEDED", 2: "DT_PLTRELSZ", 4: "DT_HASH", 5: "DT_STRTAB", 6: "DT_SYMTAB"},
    **{7: "DT_RELA", 8: "DT_RELASZ", 10: "DT_STRSZ", 14: "DT_SONAME", 15: "DT_RPATH"},
    **{17: "DT_REL", 22: "DT_TEXTREL", 23: "DT_JMPREL", 29: "DT_RUNPATH", 30: "DT_FLAGS"},
    **{36: "DT_RELR", 0x6FFFFEF5: "DT_GNU_HASH", 0x6FFFFFF0: "DT_VERSYM"},
    **{0x6FFFFFFC: "DT_VERDEF", 0x6FFFFFFE: "DT_VERNEED", 0x6FFFFFFF: "DT_VERNEEDNUM"},
}
MAX_SECTIONS = 1 << 16  # more only in object files
MAX_NAMES = 1 << 24  # bytes
_IN_FIRST_ROW = 0xFFFF  # SHN_XINDEX
EM_AARCH64 = 183
EM_HEXAGON = 164
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
_MACHINES = {
    2: "SPARC",
    3: "x86",
    4: "m68k",
    8: "MIPS",
    15: "PA-RISC",
    20: "PowerPC",
    21: "PowerPC64",
    22: "S/390",
    40: "ARM",
    42: "SuperH",
    43: "SPARC64",
    50: "IA-64",
    62: "x86-64",
    83: "AVR",
    94: "Xtensa",
    EM_HEXAGON: "Hexagon",
    EM_AARCH64: "AArch64",
    189: "MicroBlaze",
    195: "ARCv2",
    243: "RISC-V",
    247: "BPF",
    252: "C-SKY",
    258: "LoongArch",
}
MAX_NOTES = 1 << 20  # bytes of one segment; real ones have a few hundred
OWNER = "buildtool"
_BUILD_ID = ("GNU", 3)  # NT_GNU_BUILD_ID
_ANDROID = ("Android", 1)  # NT_ANDROID_TYPE_IDENT: the API level, then the NDK
RELOCATION_TABLES = (("DT_RELA", "DT_RELASZ"), ("DT_JMPREL", "DT_PLTRELSZ"))
MAX_RELOCATIONS = 64 << 20
_RELA = struct.Struct("<IIi")  # offset, symbol << 8 | type, addend


class Segment(Value):
    """One row of the program header table; addresses, sizes and the alignment are in bytes."""

    kind: int
    flags: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    alignment: int


class ElfFile(Value):
    """An open ELF file, which `open_elf` makes.

    `order` is "<" or ">", as `struct` writes the order of bytes; `sections` are offset, size of a
    row, number of rows and index of the names of the section table, as the header has them.
    Methods raise `ValueError` and `struct.error` for a malformed file.  Whoever opens `stream`
    bounds reads of it.
    """

    stream: Any
    bits: int
    order: str
    kind: str
    machine: int
    flags: int
    segments: tuple[Segment, ...]
    sections: tuple[int, int, int, int] = (0, 0, 0, 0)

    def read(self, offset: int, size: int) -> bytes:
        self.stream.seek(offset)
        data: bytes = self.stream.read(size)
        return data

    def numbers(self, layout: str, offset: int) -> tuple[int, ...]:
        """The numbers at an offset of the file, whose `layout` is that of `struct`."""
        layout = self.order + layout
        return struct.unpack(layout, self.read(offset, struct.calcsize(layout)))

    def segment(self, kind: int) -> Segment | None:
        """The first segment of a kind."""
        return next((each for each in self.segments if each.kind == kind), None)

    def offset_of(self, address: int) -> int:
        """The offset in the file of the byte that is loaded at `address`."""
        for each in self.segments:
            if each.kind == PT_LOAD and 0 <= address - each.address < each.file_size:
                return each.offset + address - each.address
        raise ValueError(f"nothing is loaded at address {address:#x}")

    @cached_property
    def entries(self) -> tuple[tuple[str, int], ...]:
        """The entries of the dynamic segment: name and value.

        Of tags that this module does not know the name is the number.
        """
        segment = self.segment(PT_DYNAMIC)
        return tuple(self._entries(segment)) if segment else ()

    @cached_property
    def dynamic(self) -> dict[str, int]:
        """The value of each tag of the dynamic segment, the last one where there are several."""
        return dict(self.entries)

    def text(self, at: int) -> str:
        """The text at an offset of the dynamic string table."""
        if "DT_STRTAB" not in self.dynamic:
            raise ValueError("it has names, but no string table")
        data = self.read(self.offset_of(self.dynamic["DT_STRTAB"]) + at, MAX_NAME)
        name, end, _ = data.partition(b"\0")
        if not end:
            raise ValueError("a name has no end")
        return name.decode(errors="replace")

    def texts(self, tag: str) -> list[str]:
        """The texts of all entries with `tag`, such as the names of needed libraries."""
        return [self.text(value) for name, value in self.entries if name == tag]

    def _entries(self, segment: Segment) -> Iterator[tuple[str, int]]:
        if segment.file_size > MAX_DYNAMIC:
            raise ValueError("its dynamic segment has no end")
        layout = struct.Struct(self.order + ("QQ" if self.bits == 64 else "II"))
        data = self.read(segment.offset, segment.file_size - segment.file_size % layout.size)
        for tag, value in layout.iter_unpack(data):
            if not tag:
                return
            yield _TAGS.get(tag, str(tag)), value


def open_elf(stream: Any) -> ElfFile:
    """The ELF file that begins at the start of `stream`.

    Raises `ValueError` and `struct.error` if it is none, or malformed.
    """
    stream.seek(0)
    identity = stream.read(16)
    if identity[:4] != MAGIC:
        raise ValueError("it does not begin with the magic number of ELF")
    if len(identity) < 16 or identity[4] not in (1, 2) or identity[5] not in (1, 2):
        raise ValueError("its class or order of bytes is unknown")
    is_64, order = identity[4] == 2, "<" if identity[5] == 1 else ">"
    layout = struct.Struct(order + ("HHIQQQIHHHHHH" if is_64 else "HHIIIIIHHHHHH"))
    kind, machine, _, _, segments_at, sections_at, flags, _, size, count, *sections = layout.unpack(
        stream.read(layout.size)
    )
    row = struct.Struct(order + ("IIQQQQQQ" if is_64 else "8I"))
    columns = (0, 1, 2, 3, 5, 6, 7) if is_64 else (0, 6, 1, 2, 4, 5, 7)
    if count and size < row.size:
        raise ValueError(f"its program headers have {size} bytes")
    stream.seek(segments_at)
    table = stream.read(count * size) if count else b""
    rows = [row.unpack_from(table, index * size) for index in range(count)]
    return ElfFile(
        stream=stream,
        bits=64 if is_64 else 32,
        order=order,
        kind=KINDS.get(kind, str(kind)),
        machine=machine,
        flags=flags,
        segments=tuple(Segment(*(each[column] for column in columns)) for each in rows),
        sections=(sections_at, *sections),
    )


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


def relocated_symbols(file: ElfFile) -> frozenset[int]:
    """The indexes of the symbols that relocations of a 32-bit little-endian file use.

    Raises `ValueError` for invalid tables.
    """
    tags = file.dynamic
    used: set[int] = set()
    for start, size in RELOCATION_TABLES:
        length = tags.get(size, 0)
        if not length or start not in tags:
            continue
        if length > MAX_RELOCATIONS or length % _RELA.size:
            raise ValueError(f"its table {start} claims to have {length} bytes")
        table = file.read(file.offset_of(tags[start]), length)
        if len(table) != length:
            raise ValueError(f"its table {start} ends after the file")
        used.update(info >> 8 for _, info, _ in _RELA.iter_unpack(table))
    return frozenset(used)


def elf_header(path: Path) -> tuple[int, int] | None:
    """The type (ET_*) and the machine (EM_*) of an ELF file; None if `path` is another file.

    Raises `OSError` when it cannot be read.  Source: System V ABI, "ELF Header".
    """
    with path.open("rb") as stream:
        header = stream.read(20)
    if len(header) < 20 or header[:4] != b"\x7fELF" or header[5] not in (1, 2):
        return None
    order: Literal["little", "big"] = "little" if header[5] == 1 else "big"
    return int.from_bytes(header[16:18], order), int.from_bytes(header[18:20], order)


def machine_name(machine: int) -> str:
    """`AArch64`, `Hexagon`, `x86-64` …; `machine 4711` for an unusual one.

    Source: System V ABI, "ELF Header".
    """
    return _MACHINES.get(machine, f"machine {machine}")
