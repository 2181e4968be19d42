"""Reads the header of an ELF file, its segments, and the entries of its dynamic segment.

Layout: System V ABI, "ELF Header", "Program Header", "Dynamic Section".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from typing import Any

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
