"""Reads the symbol versions that an ELF file needs, such as `GLIBC_2.34` of `libc.so.6`.

They are found through the dynamic segment, as loaders do, since stripped files may have no
sections.
Source of the layout: Linux Standard Base, "Symbol Versioning".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from buildtool.core.elf.file import ElfFile
from buildtool.core.value import Value

MAX_VERSIONS = 4096  # the largest libraries need a few dozen
WEAK = 0x2  # VER_FLG_WEAK: the loader does not require it
HIDDEN = 0x8000


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
            symbols[number & ~HIDDEN].append(name)
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
            yield _Row(number & ~HIDDEN, library, name, bool(flags & WEAK))
            if not step:
                break
            at += step
        if not following:
            break
        offset += following
