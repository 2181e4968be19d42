"""Reads the dynamic symbols of an ELF file with a single read.

They are found through the dynamic segment, as loaders do, since stripped files may have no
sections.  Source of the layout: System V ABI, "Symbol Table" and "Hash Table".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MAX_SYMBOLS = 1 << 20
MAX_NAME_BYTES = 64 << 20
SIZE_64 = 24  # of a symbol of a 64-bit file
LOCAL, WEAK = 0, 2  # STB_LOCAL, STB_WEAK
HIDDEN = (1, 2)  # STV_INTERNAL, STV_HIDDEN
# The tables that may follow the symbol table, which has no length of its own.
POINTERS = (
    *("DT_STRTAB", "DT_HASH", "DT_GNU_HASH", "DT_VERSYM", "DT_VERNEED", "DT_VERDEF"),
    *("DT_REL", "DT_RELA", "DT_JMPREL", "DT_RELR"),
)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol that a file exports or imports; local symbols are not included."""

    index: int
    name: str
    undefined: bool
    weak: bool
    hidden: bool


def dynamic_symbols(segment: Any, stream: Any, *, bits: int, little: bool) -> Iterator[Symbol]:
    """The named symbols of the file with this dynamic segment (pyelftools).

    Raises `ValueError` for invalid tables; the caller bounds reads of `stream`.
    """
    tags = {str(t.entry.d_tag): int(t.entry.d_val) for t in segment.iter_tags()}
    if "DT_SYMTAB" not in tags or "DT_STRTAB" not in tags:
        return
    order = "<" if little else ">"
    layout = struct.Struct(order + ("IBBHQQ" if bits == 64 else "IIIBBH"))
    count = _count(segment, stream, tags, layout.size, order)
    if not 0 <= count <= MAX_SYMBOLS:
        raise ValueError(f"it claims to have {count} symbols")
    stream.seek(file_offset(segment, tags["DT_SYMTAB"]))
    table = stream.read(count * layout.size)
    stream.seek(file_offset(segment, tags["DT_STRTAB"]))
    names = stream.read(tags.get("DT_STRSZ", 0))
    room = MAX_NAME_BYTES
    for index, fields in enumerate(layout.iter_unpack(table)):
        if bits == 64:
            at, info, other, section = fields[:4]
        else:
            at, _, _, info, other, section = fields
        if not at or info >> 4 == LOCAL:
            continue
        name = names[at : names.index(b"\0", at)]
        room -= len(name)
        if room < 0:
            raise ValueError("its names have no end")
        yield Symbol(
            index=index,
            name=name.decode(errors="replace"),
            undefined=section == 0,
            weak=info >> 4 == WEAK,
            hidden=other & 3 in HIDDEN,
        )


def file_offset(segment: Any, address: int) -> int:
    """The offset in the file of the byte that is loaded at `address`; raises `ValueError`."""
    found = next(iter(segment.elffile.address_offsets(address)), None)
    if found is None:
        raise ValueError(f"nothing is loaded at address {address:#x}")
    return int(found)


def _count(segment: Any, stream: Any, tags: Mapping[str, int], size: int, order: str) -> int:
    """The number of symbols.

    DT_HASH contains the number.  DT_GNU_HASH covers exported symbols only, which are the last ones;
    without any, the symbol table is taken to extend to the table that follows it.
    """
    if "DT_HASH" in tags:
        stream.seek(file_offset(segment, tags["DT_HASH"]))
        return int(struct.unpack(order + "II", stream.read(8))[1])
    hashed = tags.get("DT_GNU_HASH")
    if hashed is not None and (count := _hashed(segment, stream, hashed, size, order)):
        return count
    start = tags["DT_SYMTAB"]
    after = [tags[name] for name in POINTERS if tags.get(name, 0) > start]
    return (min(after) - start) // size if after else int(segment.num_symbols())


def _hashed(segment: Any, stream: Any, address: int, size: int, order: str) -> int:
    """One more than the index of the last symbol in a GNU hash table; 0 if the table is empty.

    `size` is that of a symbol in bytes.  Source of the layout: glibc, elf/dl-lookup.c.
    """
    stream.seek(file_offset(segment, address))
    buckets, first, words, _ = struct.unpack(order + "4I", stream.read(16))
    if max(buckets, words) > MAX_SYMBOLS:
        raise ValueError(f"its hash table claims to have {max(buckets, words)} entries")
    stream.seek(words * (8 if size == SIZE_64 else 4), 1)
    last = max(struct.unpack(f"{order}{buckets}I", stream.read(4 * buckets)), default=0)
    if last < first:
        return 0
    stream.seek(4 * (last - first), 1)
    while last < MAX_SYMBOLS:
        last += 1
        if struct.unpack(order + "I", stream.read(4))[0] & 1:  # the end of a chain
            break
    return last
