"""Reads the symbols of an ELF file, and the versions that it defines and needs.

They are found through the dynamic segment, as loaders do, since stripped files may have no
sections.  Sources of the layouts: System V ABI, "Symbol Table" and "Hash Table"; Linux Standard
Base, "Symbol Versioning".
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping

from buildtool.core.elf.file import ElfFile
from buildtool.core.value import Value

MAX_SYMBOLS = 1 << 20
MAX_NAME_BYTES = 64 << 20
LOCAL, WEAK = 0, 2  # STB_LOCAL, STB_WEAK
FUNCTION = 2  # STT_FUNC
HIDDEN = (1, 2)  # STV_INTERNAL, STV_HIDDEN
# The tables that may follow the symbol table, which has no length of its own.
POINTERS = (
    *("DT_STRTAB", "DT_HASH", "DT_GNU_HASH", "DT_VERSYM", "DT_VERNEED", "DT_VERDEF"),
    *("DT_REL", "DT_RELA", "DT_JMPREL", "DT_RELR"),
)


class Symbol(Value):
    """A symbol that a file exports or imports; local symbols are not included."""

    number: int
    name: str
    undefined: bool
    weak: bool
    hidden: bool
    address: int = 0
    size: int = 0
    is_function: bool = False


def dynamic_symbols(file: ElfFile) -> Iterator[Symbol]:
    """The named symbols of `file`; raises `ValueError` for invalid tables."""
    tags = file.dynamic
    if "DT_SYMTAB" not in tags or "DT_STRTAB" not in tags:
        return
    layout = struct.Struct(file.order + ("IBBHQQ" if file.bits == 64 else "IIIBBH"))
    count = _count(file, layout.size)
    if not 0 <= count <= MAX_SYMBOLS:
        raise ValueError(f"it claims to have {count} symbols")
    table = file.read(file.offset_of(tags["DT_SYMTAB"]), count * layout.size)
    names = file.read(file.offset_of(tags["DT_STRTAB"]), tags.get("DT_STRSZ", 0))
    room = MAX_NAME_BYTES
    for number, fields in enumerate(layout.iter_unpack(table)):
        if file.bits == 64:
            at, info, other, section, address, size = fields
        else:
            at, address, size, info, other, section = fields
        if not at or info >> 4 == LOCAL:
            continue
        name = names[at : names.index(b"\0", at)]
        room -= len(name)
        if room < 0:
            raise ValueError("its names have no end")
        yield Symbol(
            number=number,
            name=name.decode(errors="replace"),
            undefined=section == 0,
            weak=info >> 4 == WEAK,
            hidden=other & 3 in HIDDEN,
            address=address,
            size=size,
            is_function=info & 15 == FUNCTION,
        )


def _count(file: ElfFile, size: int) -> int:
    """The number of symbols of `size` bytes.

    DT_HASH contains the number.  DT_GNU_HASH covers exported symbols only, which are the last ones;
    without any, the symbol table is taken to extend to the table that follows it.
    """
    tags = file.dynamic
    if "DT_HASH" in tags:
        return file.numbers("II", file.offset_of(tags["DT_HASH"]))[1]
    hashed = tags.get("DT_GNU_HASH")
    if hashed is not None and (count := _hashed(file, file.offset_of(hashed))):
        return count
    start = tags["DT_SYMTAB"]
    after = [tags[name] for name in POINTERS if tags.get(name, 0) > start]
    if not after:
        raise ValueError("nothing tells how many symbols it has")
    return (min(after) - start) // size


def _hashed(file: ElfFile, at: int) -> int:
    """One more than the index of the last symbol in the GNU hash table at the offset `at`; 0 if the
    table is empty.  Source of the layout: glibc, elf/dl-lookup.c.
    """
    buckets, first, words, _ = file.numbers("4I", at)
    if max(buckets, words) > MAX_SYMBOLS:
        raise ValueError(f"its hash table claims to have {max(buckets, words)} entries")
    at += 16 + words * file.bits // 8
    last = max(file.numbers(f"{buckets}I", at), default=0)
    if last < first:
        return 0
    at += 4 * (buckets + last - first)
    while last < MAX_SYMBOLS:
        last += 1
        if file.numbers("I", at)[0] & 1:  # the end of a chain
            break
        at += 4
    return last


MAX_VERSIONS = 4096  # the largest libraries need a few dozen
_WEAK_VERSION = 0x2  # VER_FLG_WEAK: the loader does not require it
_HIDDEN_VERSION = 0x8000


class VersionNeed(Value):
    """One version of `library` that a file needs for `symbols`.

    `symbols` is empty where the linker requires the version as such; a `weak` one may be missing.
    """

    library: str
    version: str
    symbols: tuple[str, ...]
    weak: bool


class _Row(Value):
    number: int
    library: int
    version: int
    weak: bool


def version_needs(file: ElfFile, undefined: Mapping[int, str]) -> list[VersionNeed]:
    """The needs of `file`, in the order of its table.

    `undefined` are the names of its undefined dynamic symbols by index.  Raises `ValueError` and
    `struct.error` for invalid tables.
    """
    tags = file.dynamic
    if "DT_VERNEED" not in tags or "DT_STRTAB" not in tags:
        return []
    offset = file.offset_of(tags["DT_VERNEED"])
    rows = list(_rows(file, offset, tags.get("DT_VERNEEDNUM", 0)))
    symbols: dict[int, list[str]] = defaultdict(list)
    if "DT_VERSYM" in tags:
        start = file.offset_of(tags["DT_VERSYM"])
        for index, name in undefined.items():
            (number,) = file.numbers("H", start + 2 * index)
            symbols[number & ~_HIDDEN_VERSION].append(name)
    return [
        VersionNeed(
            library=file.text(row.library),
            version=file.text(row.version),
            symbols=tuple(sorted(symbols.pop(row.number, ()))),
            weak=row.weak,
        )
        for row in rows
    ]


def _rows(file: ElfFile, offset: int, count: int) -> Iterator[_Row]:
    """The entries of DT_VERNEED: a list of versions for each library."""
    seen = 0
    for _ in range(min(count, MAX_VERSIONS)):
        _, versions, library, first, following = file.numbers("HHIII", offset)
        at = offset + first
        for _ in range(versions):
            _, flags, number, name, step = file.numbers("IHHII", at)
            seen += 1
            if seen > MAX_VERSIONS:
                raise ValueError("its version table has no end")
            yield _Row(number & ~_HIDDEN_VERSION, library, name, bool(flags & _WEAK_VERSION))
            if not step:
                break
            at += step
        if not following:
            break
        offset += following
