"""Splitting files into what ships and debug information, with what compilers here make."""

from __future__ import annotations

import random
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from buildtool.release.split_debug import (
    BUILD_ID_PLACEHOLDER,
    CannotSplitError,
    Split,
    split,
)
from tests.standins.zig import zig_program

SOURCE = """\
__attribute__((visibility("default"))) int answer = 40;
static __attribute__((noinline)) int inner(int x) {
    return x / answer; /* line 3 */
}
__attribute__((visibility("default"))) int outer(int x) { return inner(x) + 1; }
"""
PROGRAM = '#include <stdio.h>\nint main(void) { printf("%d\\n", 42); return 3; }\n'
PLACEHOLDER = f"-Wl,--build-id=0x{BUILD_ID_PLACEHOLDER.hex()}"
HEXAGON = (
    *("cc", "--target=hexagon-linux-musl", "-mcpu=hexagonv68", "-nostdlib", "-shared", "-fPIC"),
    *("-fno-sanitize=undefined", "-Wl,-Bsymbolic", "-Wl,--hash-style=sysv"),
    *("-Wl,-z,max-page-size=4096", "-Wl,-z,norelro", "-lcompiler_rt"),
)


@dataclass(frozen=True)
class Compiler:
    """A command that makes a shared library of C sources."""

    command: tuple[str, ...]

    def library(self, folder: Path, *options: str, source: str = SOURCE) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a.c").write_text(source)
        command = [*self.command, "a.c", "-O2", "-g", *options, "-o", "liba.so"]
        subprocess.run(command, cwd=folder, check=True, timeout=300)
        return folder / "liba.so"


GCC = Compiler(("gcc", "-shared", "-fPIC"))
ARM64 = Compiler(("aarch64-linux-gnu-gcc", "-shared", "-fPIC"))
DSP = Compiler((str(zig_program()), *HEXAGON))


@pytest.fixture(params=[GCC, ARM64, DSP], ids=["x86-64", "arm64", "hexagon"])
def compiler(request: pytest.FixtureRequest) -> Compiler:
    compiler: Compiler = request.param
    return compiler


@dataclass(frozen=True)
class Parts:
    """What was split of a file."""

    result: Split
    shipped: Path
    debug: Path


def parts(library: Path) -> Parts:
    shipped, debug = library.with_suffix(".shipped"), library.with_suffix(".debug")
    return Parts(split(library, shipped, debug), shipped, debug)


def sections(file: Path) -> dict[str, str]:
    """The sections and their types, as readelf prints them."""
    shown = subprocess.run(
        ["readelf", "-SW", file], capture_output=True, text=True, check=True, timeout=60
    )
    assert "Warning" not in shown.stderr, shown.stderr
    return dict(re.findall(r"^ +\[ *\d+\] (\.\S+) +(\S+)", shown.stdout, re.MULTILINE))


def build_id(file: Path) -> str:
    shown = subprocess.run(
        ["readelf", "-nW", file], capture_output=True, text=True, check=True, timeout=60
    )
    return str(re.findall(r"Build ID: (\w+)", shown.stdout)[0])


def segments(file: Path) -> list[tuple[tuple[int, ...], bytes]]:
    """The LOAD segments: offset, address, sizes and flags, and the bytes in the file."""
    from elftools.elf.elffile import ELFFile

    with file.open("rb") as stream:
        elf = ELFFile(stream)
        names = ("p_offset", "p_vaddr", "p_filesz", "p_memsz", "p_flags", "p_align")
        return [
            (tuple(segment[name] for name in names), segment.data())
            for segment in elf.iter_segments()
            if segment["p_type"] == "PT_LOAD"
        ]


def test_the_shipped_file_has_all_that_a_loader_reads(compiler: Compiler, tmp_path: Path) -> None:
    library = compiler.library(tmp_path)
    made = parts(library)

    before, after = read_elf(library), read_elf(made.shipped)
    for field in before._asdict():
        if field not in ("path", "debug_sections"):
            assert getattr(after, field) == getattr(before, field), field
    assert (before.debug_sections, after.debug_sections) != ((), ())
    header = 52 if before.bits == 32 else 64
    old, new = segments(library), segments(made.shipped)
    assert [layout for layout, _ in new] == [layout for layout, _ in old]
    table = header + 20 * 56  # what lies there differs: where the section table is, the build-id
    for (_, one), (_, other) in zip(old[1:], new[1:], strict=True):
        assert one == other
    assert old[0][1][table:] == new[0][1][table:]
    assert not {name for name in sections(made.shipped) if name.startswith((".debug", ".symtab"))}


def test_a_debugger_finds_function_and_line(compiler: Compiler, tmp_path: Path) -> None:
    made = parts(compiler.library(tmp_path, PLACEHOLDER))
    listed = subprocess.run(
        ["readelf", "-sW", made.debug], capture_output=True, text=True, check=True, timeout=60
    )
    (address,) = re.findall(r"^ +\d+: (\w+) .* FUNC .* inner$", listed.stdout, re.MULTILINE)

    line = subprocess.run(
        ["llvm-addr2line", "-f", "-e", made.debug, address],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert re.fullmatch(r"inner\n.*/a\.c:[23]\n", line.stdout), line.stdout
    kinds = sections(made.debug)
    assert (kinds[".text"], kinds[".debug_info"]) == ("NOBITS", "PROGBITS")
    assert build_id(made.debug) == build_id(made.shipped) == made.result.build_id


def test_what_ships_does_not_depend_on_where_it_was_compiled(
    compiler: Compiler, tmp_path: Path
) -> None:
    one = parts(compiler.library(tmp_path / "one", PLACEHOLDER))
    other = parts(compiler.library(tmp_path / "a longer path", PLACEHOLDER))

    assert one.debug.read_bytes() != other.debug.read_bytes()
    assert one.shipped.read_bytes() == other.shipped.read_bytes()
    assert one.result.build_id != BUILD_ID_PLACEHOLDER.hex()
    changed = parts(
        compiler.library(tmp_path / "changed", PLACEHOLDER, source=SOURCE.replace("40", "41"))
    )
    assert changed.result.build_id != one.result.build_id


def test_the_build_id_of_another_build_system_is_kept(tmp_path: Path) -> None:
    made = parts(GCC.library(tmp_path, "-Wl,--build-id=sha1"))
    wanted = build_id(tmp_path / "liba.so")

    assert (made.result.build_id, build_id(made.shipped)) == (wanted, wanted)


def test_a_stripped_file_ships_byte_for_byte(tmp_path: Path) -> None:
    library = GCC.library(tmp_path, "-s", "-Wl,--build-id=sha1")
    made = parts(library)

    assert made.shipped.read_bytes() == library.read_bytes()
    assert not made.result.has_debug
    assert not made.debug.exists()


def test_programs_run_after_the_split(tmp_path: Path) -> None:
    runners: dict[str, list[str]] = {"gcc": [], "aarch64-linux-gnu-gcc": ["qemu-aarch64"]}
    for compiler, prefix in runners.items():
        (tmp_path / "p.c").write_text(PROGRAM)
        program = tmp_path / compiler
        subprocess.run([compiler, "-g", "p.c", "-o", program], cwd=tmp_path, check=True, timeout=60)
        made = parts(program)
        made.shipped.chmod(0o755)
        root: list[str] = ["-L", "/usr/aarch64-linux-gnu"] if prefix else []
        done = subprocess.run(
            [*prefix, *root, str(made.shipped)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (3, "42\n"), done.stderr


def test_symbols_of_sections_keep_their_section(tmp_path: Path) -> None:
    made = parts(DSP.library(tmp_path))
    command = ["readelf", "--dyn-syms", "-W", str(made.shipped)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    names = [*sections(made.shipped)]
    (index,) = re.findall(r"OBJECT .* (\d+) answer$", listed.stdout, re.MULTILINE)
    assert names[int(index) - 1] == ".data"


def test_a_signed_file_is_left_alone(tmp_path: Path) -> None:
    library = DSP.library(tmp_path)
    data = bytearray(library.read_bytes())
    flags = 52 + 6 * 4  # of the first program header of a 32-bit file
    struct.pack_into("<I", data, flags, struct.unpack_from("<I", data, flags)[0] | 0x02000000)
    library.write_bytes(data)

    with pytest.raises(CannotSplitError, match="signed"):
        parts(library)


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + bytes(57)])
def test_what_is_no_linked_file_is_left_alone(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "liba.so").write_bytes(content)
    with pytest.raises(CannotSplitError):
        parts(tmp_path / "liba.so")


def test_sections_that_overlap_do_not_grow(tmp_path: Path) -> None:
    library = GCC.library(tmp_path)
    data = bytearray(library.read_bytes())
    table = struct.unpack_from("<Q", data, 40)[0]
    (count,) = struct.unpack_from("<H", data, 60)
    for at in range(table, table + 64 * (count - 1), 64):
        (flags,) = struct.unpack_from("<Q", data, at + 8)
        if not flags & 2:  # it is not loaded
            struct.pack_into("<QQ", data, at + 24, 0, table)
    library.write_bytes(data)

    with pytest.raises(CannotSplitError, match="overlapping"):
        parts(library)


def test_damaged_files_are_split_or_left_alone(tmp_path: Path) -> None:
    good = GCC.library(tmp_path).read_bytes()
    table = struct.unpack_from("<Q", good, 40)[0]
    chance = random.Random(1)
    library = tmp_path / "damaged.so"
    left_alone = 0
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.randint(1, 3)):
            start = chance.choice([0, 64, table])
            data[chance.randrange(start, min(start + 2000, len(data)))] = chance.randrange(256)
        library.write_bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
        try:
            made = parts(library)
        except CannotSplitError:
            left_alone += 1
        else:
            assert made.shipped.stat().st_size <= len(good) + 4096
        shutil.rmtree(library.with_suffix(".shipped"), ignore_errors=True)
    assert 50 < left_alone < 300
