"""The glibc version that the ARM64 side needs is read from the built files."""

from __future__ import annotations

import contextlib
import random
import struct
from pathlib import Path

import pytest

from buildtool.contract.build_checks import ContractError, check_host_files
from buildtool.core.elf.read import ElfError, read_elf
from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_gcc

from .conftest import PlainCMake

SEEDS = 300
LISTS = "cmake_minimum_required(VERSION 3.22)\nproject(demo C)\nadd_executable(main main.c)"
# arc4random was added in glibc 2.36; source: its release notes.
RANDOM = "#include <stdlib.h>\nint main(void) { return (int)(arc4random() & 0); }"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that needs glibc 2.36, compiled by gcc; tests only read it."""
    plain_cmake = PlainCMake(tmp_path_factory.mktemp("a project"))
    plain_cmake.write(CMakeLists_txt=LISTS, main_c=RANDOM)
    tree, _ = plain_cmake.build(ubuntu_aarch64_gcc("2.36"))
    return tree / "main"


def test_a_newer_glibc_than_the_target_s_is_refused(program: Path) -> None:
    check_host_files({"bin/main": program}, ubuntu_aarch64_gcc("2.36"))
    with pytest.raises(ContractError) as caught:
        check_host_files({"bin/main": program}, ubuntu_aarch64_gcc("2.35"))
    assert (
        caught.value.message == "main needs glibc 2.36, but the target is for glibc 2.35 and newer"
    )
    assert caught.value.why == f"for arc4random of libc.so.6 ({program})"
    assert caught.value.code == "host"
    assert 'glibc = "2.36"' in caught.value.remedy
    assert 'toolchain = "zig"' in caught.value.remedy


def test_a_file_that_zig_did_not_compile_is_refused(program: Path) -> None:
    with pytest.raises(ContractError, match="needs glibc") as caught:
        check_host_files({"bin/main": program}, ubuntu_aarch64("2.35"))
    assert 'toolchain = "zig"' in caught.value.remedy


def test_all_that_a_program_without_exports_needs_is_seen(program: Path) -> None:
    """gcc writes only the newer hash table, which does not contain the needed symbols."""
    elf = read_elf(program)

    assert "DT_HASH" not in elf.dynamic_tags
    assert {"arc4random", "__libc_start_main"} <= elf.imports
    needs = {need.version: need for need in elf.version_needs}
    assert needs["GLIBC_2.36"].symbols == ("arc4random",)
    assert "__libc_start_main" in needs["GLIBC_2.34"].symbols


def test_mutated_files(program: Path, tmp_path: Path) -> None:
    """Reading malformed tables raises only `ElfError`, and takes little time."""
    data = program.read_bytes()
    chance = random.Random(1)
    file = tmp_path / "mutated"
    (dynamic,) = (
        struct.unpack_from("<Q", data, at + 8)[0]
        for at in range(64, 64 + 56 * 12, 56)
        if struct.unpack_from("<I", data, at)[0] == 2
    )
    places = [*range(0x240, 0x600, 4), *range(dynamic, dynamic + 0x200, 8)]
    for _ in range(SEEDS):
        changed = bytearray(data)
        for _ in range(chance.choice([1, 2, 8])):
            values = [0, 1, 0xFFFFFFFF, 0x7FFFFFFF, len(data), chance.randrange(1 << 16)]
            struct.pack_into("<I", changed, chance.choice(places), chance.choice(values))
        file.write_bytes(changed)
        with contextlib.suppress(ElfError):
            read_elf(file)
