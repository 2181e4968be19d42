"""Symbols and versions from valid and invalid tables."""

from __future__ import annotations

import io
import struct

import pytest

from buildtool.core.elf.file import PT_LOAD, ElfFile, Segment, relocated_symbols
from buildtool.core.elf.symbols import Symbol, VersionNeed, dynamic_symbols, version_needs

GLOBAL, WEAK, LOCAL = 0x10, 0x20, 0x00


def elf_file(data: bytes, bits: int = 64, **tags: int) -> ElfFile:
    """A file in which every byte is loaded at its own offset, with these dynamic entries."""
    loaded = Segment(PT_LOAD, 0, 0, 0, len(data), len(data), 1)
    file = ElfFile(io.BytesIO(data), bits, "<", "DYN", 0, 0, (loaded,))
    vars(file)["entries"] = tuple(tags.items())  # the value of the cached property
    return file


def symbol(bits: int, name: int, info: int, section: int, other: int = 0) -> bytes:
    if bits == 64:
        return struct.pack("<IBBHQQ", name, info, other, section, 0, 0)
    return struct.pack("<IIIBBH", name, 0, 0, info, other, section)


def read(bits: int, rows: list[bytes], names: bytes, **tags: int) -> list[Symbol]:
    """The symbols of a file whose table, followed by the names, begins at byte 16."""
    table = b"".join(rows)
    data = bytes(16) + table + names
    end = 16 + len(table)
    tags = {"DT_SYMTAB": 16, "DT_STRTAB": end, "DT_STRSZ": len(names), **tags}
    return list(dynamic_symbols(elf_file(data, bits, **tags)))


@pytest.mark.parametrize("bits", [32, 64])
def test_what_is_needed_and_offered(bits: int) -> None:
    names = b"\0need\0weak\0offer\0hidden\0local\0"
    rows = [
        symbol(bits, 0, LOCAL, 0),
        symbol(bits, 1, GLOBAL, 0),
        symbol(bits, 6, WEAK, 0),
        symbol(bits, 11, GLOBAL, 7),
        symbol(bits, 17, GLOBAL, 7, other=2),
        symbol(bits, 24, LOCAL, 7),
    ]

    assert read(bits, rows, names) == [
        Symbol(1, "need", undefined=True, weak=False, hidden=False),
        Symbol(2, "weak", undefined=True, weak=True, hidden=False),
        Symbol(3, "offer", undefined=False, weak=False, hidden=False),
        Symbol(4, "hidden", undefined=False, weak=False, hidden=True),
    ]


def test_the_older_hash_table_has_the_number() -> None:
    rows = [symbol(64, 0, LOCAL, 0), *[symbol(64, 1, GLOBAL, 0)] * 3]
    assert len(read(64, rows, b"\0a\0")) == 3
    rows[0] = struct.pack("<IIQQ", 1, 2, 0, 0)  # a hash table of two in row 0
    assert len(read(64, rows, b"\0a\0", DT_HASH=16)) == 1


@pytest.mark.parametrize("bits", [32, 64])
def test_the_newer_hash_table_tells_the_last_symbol(bits: int) -> None:
    """The table that followed the symbols was moved, as patchelf does; other bytes are there."""
    rows = [symbol(bits, 0, LOCAL, 0), symbol(bits, 1, GLOBAL, 0)]
    rows += [symbol(bits, 3, GLOBAL, 7)] * 3
    # One word of the filter; buckets: symbols 2 and 3; chains: 2, and 3 with 4.
    table = struct.pack("<4I", 2, 2, 1, 0) + bytes(bits // 8)
    table += struct.pack("<2I", 2, 3) + struct.pack("<3I", 5, 6, 7)
    names = b"\0a\0b\0"
    garbage = b"X" * 200
    data = bytes(16) + b"".join(rows) + garbage + names + table
    at = len(data) - len(table)
    tags = {"DT_STRTAB": at - len(names), "DT_STRSZ": len(names), "DT_GNU_HASH": at}

    found = list(dynamic_symbols(elf_file(data, bits, DT_SYMTAB=16, **tags)))

    assert [found.name for found in found] == ["a", "b", "b", "b"]


@pytest.mark.parametrize("count", [1 << 21, 0xFFFFFFFF])
def test_a_hash_table_that_is_a_lie(count: int) -> None:
    rows = [struct.pack("<4IQ", count, 0, 1, 0, 0)] * 2
    with pytest.raises(ValueError, match="claims to have"):
        read(64, rows, b"\0a\0", DT_GNU_HASH=16)


@pytest.mark.parametrize("count", [1 << 21, 0xFFFFFFFF])
def test_a_number_that_is_a_lie(count: int) -> None:
    with pytest.raises(ValueError, match=f"claims to have {count} symbols"):
        read(64, [struct.pack("<IIQQ", 1, count, 0, 0)], b"\0", DT_HASH=16)


def test_names_without_an_end() -> None:
    """All symbols have the same name of the maximum length."""
    rows = [symbol(64, 1, GLOBAL, 0)] * 200
    with pytest.raises(ValueError, match="names have no end"):
        read(64, rows, b"\0" + b"A" * (1 << 20) + b"\0")
    with pytest.raises(ValueError, match="not found"):
        read(64, rows[:1], b"\0no terminator")


def test_symbols_that_relocations_use() -> None:
    rows = [(16, 5 << 8 | 33, 0), (20, 35, -4), (24, 9 << 8 | 34, 0)]
    data = b"".join(struct.pack("<IIi", *row) for row in rows)
    both = {"DT_RELA": 0, "DT_RELASZ": 24, "DT_JMPREL": 24, "DT_PLTRELSZ": 12}
    assert relocated_symbols(elf_file(data, **both)) == {5, 0, 9}
    assert relocated_symbols(elf_file(data, DT_RELASZ=24)) == frozenset()
    for size in (25, 36 + 12, 0xFFFFFFFC):
        with pytest.raises(ValueError, match="its table DT_RELA"):
            relocated_symbols(elf_file(data, DT_RELA=0, DT_RELASZ=size))


def needs(verneed: bytes, number: int = 1) -> list[VersionNeed]:
    """The versions in a DT_VERNEED table at byte 64 of a file with one undefined symbol."""
    names = b"\0libc.so.6\0GLIBC_2.36\0"
    versym = struct.pack("<HH", 0, 4)
    data = names.ljust(32, b"\0") + versym.ljust(32, b"\0") + verneed
    tags = {"DT_STRTAB": 0, "DT_VERSYM": 32, "DT_VERNEED": 64, "DT_VERNEEDNUM": number}
    return version_needs(elf_file(data, **tags), {1: "arc4random"})


def test_versions_come_with_the_symbols_that_need_them() -> None:
    table = struct.pack("<HHIII", 1, 2, 1, 16, 0)
    table += struct.pack("<IHHII", 0, 0, 4, 11, 16) + struct.pack("<IHHII", 0, 2, 5, 11, 0)

    assert needs(table) == [
        VersionNeed("libc.so.6", "GLIBC_2.36", ("arc4random",), weak=False),
        VersionNeed("libc.so.6", "GLIBC_2.36", (), weak=True),
    ]


def test_versions_that_lead_to_themselves() -> None:
    """Lists of the maximum length, in which all entries are the same one."""
    table = struct.pack("<HHIII", 1, 0xFFFF, 1, 16, 0) + struct.pack("<IHHII", 0, 0, 4, 11, 1)
    with pytest.raises((ValueError, struct.error)):
        needs(table)
    loop = struct.pack("<HHIII", 1, 0xFFFF, 1, 0, 1)
    with pytest.raises((ValueError, struct.error)):
        needs(loop * 4096, number=0xFFFFFFFF)
