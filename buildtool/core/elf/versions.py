"""Reads the symbol versions that an ELF file needs, such as `GLIBC_2.34` of `libc.so.6`.

They are found through the dynamic segment, as loaders do, since stripped files may have no
sections.
Source of the layout: Linux Standard Base, "Symbol Versioning".
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from buildtool.core.elf.symbols import file_offset

MAX_VERSIONS = 4096  # the largest libraries need a few dozen
MAX_NAME = 4096
WEAK = 0x2  # VER_FLG_WEAK: the loader does not require it
HIDDEN = 0x8000
TAGS = ("DT_VERNEED", "DT_VERNEEDNUM", "DT_VERSYM", "DT_STRTAB")


@dataclass(frozen=True, slots=True)
class VersionNeed:
    """One version of `library` that a file needs for `symbols`.

    `symbols` is empty where the linker requires the version as such; a `weak` one may be missing.
    """

    library: str
    version: str
    symbols: tuple[str, ...]
    weak: bool


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    library: int
    version: int
    weak: bool


def version_needs(
    segment: Any, stream: Any, undefined: Mapping[int, str], *, little: bool
) -> list[VersionNeed]:
    """The needs of the file with this dynamic segment (pyelftools), in the order of its table.

    `undefined` are the names of its undefined dynamic symbols by index.  Raises `ValueError` for
    invalid tables; the caller bounds reads of `stream`.
    """
    tags = {t.entry.d_tag: t.entry.d_val for t in segment.iter_tags() if t.entry.d_tag in TAGS}
    if "DT_VERNEED" not in tags or "DT_STRTAB" not in tags:
        return []
    table = _Table(stream, "<" if little else ">")
    offset = file_offset(segment, tags["DT_VERNEED"])
    rows = list(_rows(table, offset, tags.get("DT_VERNEEDNUM", 0)))
    symbols: dict[int, list[str]] = defaultdict(list)
    if "DT_VERSYM" in tags:
        start = file_offset(segment, tags["DT_VERSYM"])
        for index, name in undefined.items():
            (number,) = table.read("H", start + 2 * index)
            symbols[number & ~HIDDEN].append(name)
    names = file_offset(segment, tags["DT_STRTAB"])
    return [
        VersionNeed(
            library=table.name(names + row.library),
            version=table.name(names + row.version),
            symbols=tuple(sorted(symbols.pop(row.number, ()))),
            weak=row.weak,
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class _Table:
    """Reads numbers and names at offsets of a file."""

    stream: Any
    order: str

    def read(self, layout: str, offset: int) -> tuple[int, ...]:
        layout = self.order + layout
        self.stream.seek(offset)
        data = self.stream.read(struct.calcsize(layout))
        return struct.unpack(layout, data)

    def name(self, offset: int) -> str:
        self.stream.seek(offset)
        name, end, _ = self.stream.read(MAX_NAME).partition(b"\0")
        if not end:
            raise ValueError("a version's name has no end")
        return str(name.decode(errors="replace"))


def _rows(table: _Table, offset: int, count: int) -> Iterator[_Row]:
    """The entries of DT_VERNEED: a list of versions for each library."""
    seen = 0
    for _ in range(min(count, MAX_VERSIONS)):
        _, versions, library, first, following = table.read("HHIII", offset)
        at = offset + first
        for _ in range(versions):
            _, flags, number, name, step = table.read("IHHII", at)
            seen += 1
            if seen > MAX_VERSIONS:
                raise ValueError("its version table has no end")
            yield _Row(number & ~HIDDEN, library, name, bool(flags & WEAK))
            if not step:
                break
            at += step
        if not following:
            break
        offset += following
