"""Malformed ELF files: reading raises only `ElfError`, and takes little time."""

from __future__ import annotations

import contextlib
import random
import struct
from pathlib import Path

import pytest

from buildtool.core.elf.read import ElfError, read_dynamic, read_elf
from buildtool.toolchains.hexagon import hexagon

from .conftest import PlainCMake

SEEDS = 300


@pytest.fixture(scope="module")
def skel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small real shared object, which tests only read."""
    plain_cmake = PlainCMake(tmp_path_factory.mktemp("a project"))
    plain_cmake.write(
        CMakeLists_txt="cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        "add_library(demo_skel SHARED skel.c)",
        skel_c="int other(void);\nint demo_skel_invoke(void) { return other(); }",
    )
    tree, _ = plain_cmake.build(hexagon("v68"))
    return tree / "libdemo_skel.so"


def test_mutated_files(skel: Path, tmp_path: Path) -> None:
    data = skel.read_bytes()
    assert read_elf(skel).imports == {"other"}
    chance = random.Random(1)
    file = tmp_path / "mutated.so"
    for _ in range(SEEDS):
        changed = bytearray(data)
        for _ in range(chance.choice([1, 2, 8])):
            at = chance.randrange(min(len(changed) - 4, 0x400)) & ~3
            values = [0, 1, 0xFFFFFFFF, 0x7FFFFFFF, len(data), chance.randrange(1 << 16)]
            struct.pack_into("<I", changed, at, chance.choice(values))
        file.write_bytes(changed[: chance.choice([len(changed), chance.randrange(len(changed))])])
        for read in (read_elf, read_dynamic):
            with contextlib.suppress(ElfError):
                read(file)


def test_a_name_for_every_tag_as_long_as_the_file_is_given_up(skel: Path, tmp_path: Path) -> None:
    """All NEEDED entries of a dynamic section point to one very long name."""
    data = bytearray(skel.read_bytes())
    offset = data.index(b"\x02\x00\x00\x00", struct.unpack_from("<I", data, 0x1C)[0])  # PT_DYNAMIC
    end = len(data)
    strings, tags = 1 << 20, 50_000
    # PT_DYNAMIC: offset, address, size; the tags and the names are appended to the file.
    struct.pack_into("<II", data, offset + 4, end, end)
    struct.pack_into("<II", data, offset + 16, tags * 8, tags * 8)
    table = struct.pack("<II", 5, 0) + struct.pack("<II", 1, 1) * (tags - 2) + bytes(8)
    file = tmp_path / "bomb.so"
    file.write_bytes(bytes(data) + table + b"A" * strings)

    with pytest.raises(ElfError, match="not a valid ELF file"):
        read_elf(file)
