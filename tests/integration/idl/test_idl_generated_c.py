"""Real compilers compile generated C without warnings, with the right exports and the note."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from buildtool.idl.compile import compile_idl
from buildtool.idl.parse import load
from tests.integration.idl.idl_rig import HEADERS, ROOT, WARNINGS, zig_cc

GOLDEN = ROOT / "tests" / "golden" / "idl"
AARCH64 = ("-target", "aarch64-linux-gnu.2.35", "-O2")
SKEL = (
    *("-target", "hexagon-linux-musl", "-mcpu=hexagonv68+hvx_length128b+hvxv68", "-O2"),
    "-fno-sanitize=undefined",
)
COMPILERS = {"native": ("-O2",), "aarch64": AARCH64, "hexagon": SKEL}
OBJECT = ("-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections")
LIBRARY = ("-shared", "-nostdlib", "-Wl,--gc-sections", "-s")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("stem", ["shapes", pytest.param("plain", marks=pytest.mark.long)])
def test_no_warning_on_either_side(stem: str, compiler: str, tmp_path: Path) -> None:
    compile_idl(GOLDEN / f"{stem}.idl", (), (), tmp_path)
    for side in ("stub", "skel"):
        flags = (*COMPILERS[compiler], *WARNINGS, f"-I{HEADERS}", "-c")
        zig_cc(*flags, tmp_path / f"{stem}_{side}.c", "-o", tmp_path / "out.o", cwd=tmp_path)


def test_the_header_is_good_cxx(tmp_path: Path) -> None:
    compile_idl(GOLDEN / "shapes.idl", (), (), tmp_path)
    (tmp_path / "user.cc").write_text(
        '#include "shapes.h"\nint use() { return shapes_nothing(1); }'
    )
    flags = ("-x", "c++", "-Wall", "-Wextra", "-Werror", "-nostdinc++", f"-I{HEADERS}", "-c")
    zig_cc(*flags, tmp_path / "user.cc", "-o", tmp_path / "out.o", cwd=tmp_path)
    assert b"shapes_nothing" in (tmp_path / "out.o").read_bytes()


def shared_library(target: tuple[str, ...], side: str, out: Path) -> Path:
    """A library of one generated file, linked with the strict options of real ones."""
    compile_idl(GOLDEN / "shapes.idl", (), (), out)
    library, compiled = out / f"lib{side}.so", out / f"{side}.o"
    # Compiled separately, since -nostdlib removes the C library's headers too.
    zig_cc(
        *target, *OBJECT, f"-I{HEADERS}", "-c", out / f"shapes_{side}.c", "-o", compiled, cwd=out
    )
    zig_cc(*target, *LIBRARY, compiled, "-o", library, cwd=out)
    return library


def note_of(library: Path) -> tuple[bytes, int, bytes]:
    with library.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".note.buildtool.idl")
        assert section is not None
        assert section["sh_type"] == "SHT_NOTE"
        assert section["sh_flags"] & 2, "the note must be loaded, or strip takes it away"
        data = section.data()
    name_size, digest_size, kind = struct.unpack_from("<III", data)
    name, digest = data[12 : 12 + name_size], data[-digest_size:]
    assert len(data) == 12 + 12 + 32
    return name, kind, digest


@pytest.mark.long
@pytest.mark.parametrize(("side", "target"), [("stub", AARCH64), ("skel", SKEL)])
def test_the_note_outlives_the_linker(side: str, target: tuple[str, ...], tmp_path: Path) -> None:
    library = shared_library(target, side, tmp_path)
    digest = bytes.fromhex(load(GOLDEN / "shapes.idl", (), ()).digest)
    assert note_of(library) == (b"buildtool\0", 1, digest)


def test_the_skel_exports_its_entry_though_all_else_is_hidden(tmp_path: Path) -> None:
    with shared_library(SKEL, "skel", tmp_path).open("rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        symbols = list(table.iter_symbols())
    exported = {
        symbol.name
        for symbol in symbols
        if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] == "STB_GLOBAL"
    }
    invoke = "shapes_skel_handle_invoke"
    assert exported == {invoke, f"{invoke}_uri", f"{invoke}_qaic_version"}


def test_a_skel_needs_few_functions_of_the_dsp(tmp_path: Path) -> None:
    """All of them are known to exist: a subset of the C library, and the look-up of mappings."""
    with shared_library(SKEL, "skel", tmp_path).open("rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        undefined = {s.name for s in table.iter_symbols() if s["st_shndx"] == "SHN_UNDEF"}
    own = {name for name in undefined if name.startswith("shapes_")}
    known = {"", "memcpy", "memset", "memmove", "strstr", "calloc", "free", "adsp_mmap_fd_getinfo"}
    assert undefined - own <= known
