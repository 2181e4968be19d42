"""The shell's ELF loader: skels as the SDK links them, and untrusted files."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from tests.conftest import LONG

from .toolbox import Device, Toolbox

OPEN = "unsigned_pd 3 1; open h {0};"
PT_LOAD = 1
PT_DYNAMIC = 2
PT_NULL = 0
PHDR = "<8I"


@dataclass(frozen=True)
class Checked:
    """The result of `fastrpc_shell --check`."""

    status: int
    text: str


@pytest.fixture
def check(toolbox: Toolbox) -> Callable[..., Checked]:
    qemu = shutil.which("qemu-hexagon")
    assert qemu is not None
    shell = toolbox.shell()

    def run(file: Path, *arch: str) -> Checked:
        done = subprocess.run(
            [qemu, "-cpu", "v67", str(shell), "--check", str(file), *arch],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=30,
        )
        return Checked(done.returncode, done.stdout + done.stderr)

    return run


def headers(data: bytes | bytearray) -> list[tuple[int, list[int]]]:
    """Each program header with its offset in the file."""
    start, count = struct.unpack_from("<I", data, 28)[0], struct.unpack_from("<H", data, 44)[0]
    return [
        (start + 32 * i, list(struct.unpack_from(PHDR, data, start + 32 * i))) for i in range(count)
    ]


def like_the_sdk(toolbox: Toolbox) -> bytes:
    """A skel with libc.so and libgcc.so as NEEDED, DT_INIT, DT_FINI and null program headers."""
    skel = toolbox.skel(
        "sdk",
        "-DINIT",
        "-Wl,--no-as-needed",
        toolbox.library_for_skels("libc.so", "empty.c"),
        toolbox.library_for_skels("libgcc.so", "empty.c"),
    )
    data = bytearray(skel.read_bytes())
    nulled = 0
    for offset, header in headers(data):
        if header[0] not in (PT_LOAD, PT_DYNAMIC):
            struct.pack_into("<I", data, offset, PT_NULL)
            nulled += 1
    assert nulled >= 2
    assert b"\0libc.so\0" in data
    return bytes(data)


def test_skel_as_the_sdk_links_it(device: Device, toolbox: Toolbox) -> None:
    (device.root / "usr/lib/dsp/libsdk_skel.so").write_bytes(like_the_sdk(toolbox))
    result = device.run(OPEN.format("sdk") + "number h 9; twice h 100 rpcmem; close h")
    assert result["number h 9"] == "0 1 11"  # opened once; DT_INIT and one constructor ran
    assert result["twice h 100 rpcmem"] == "0 100 right"
    assert result["close h"] == "0"
    assert "fini" in result.err  # DT_FINI ran


def test_a_skel_with_a_gnu_hash_table_only(device: Device, toolbox: Toolbox) -> None:
    skel = toolbox.skel("gnu", "-Wl,--hash-style=gnu")
    tags = read_elf(skel).dynamic_tags
    assert "DT_GNU_HASH" in tags
    assert "DT_HASH" not in tags
    (device.root / "usr/lib/dsp/libgnu_skel.so").write_bytes(skel.read_bytes())
    result = device.run(OPEN.format("gnu") + "twice h 100 rpcmem; close h")
    assert result["twice h 100 rpcmem"] == "0 100 right"
    assert result["close h"] == "0"


def test_check_of_a_good_skel(check: Callable[..., Checked], toolbox: Toolbox) -> None:
    assert check(toolbox.skel("probe")) == Checked(0, "libprobe_skel.so loads\n")


def test_check_names_what_is_wrong(check: Callable[..., Checked], toolbox: Toolbox) -> None:
    undefined = check(toolbox.skel("undefined", "-DNEEDS_UNKNOWN"))
    assert undefined.status == 1
    assert "no_such_interface" in undefined.text
    assert (
        "built for v73 and this device is v68"
        in check(toolbox.skel("newer", arch="v73"), "68").text
    )
    assert check(Path("/nowhere")).status == 2


def patched(data: bytes, offset: int, form: str, *values: int) -> bytes:
    changed = bytearray(data)
    struct.pack_into(form, changed, offset, *values)
    return bytes(changed)


def file_offset(data: bytes, address: int) -> int:
    """Where the byte with a link-time address is in the file."""
    return next(
        address - start + offset
        for _, (kind, offset, start, _, size, *_) in headers(data)
        if kind == PT_LOAD and start <= address < start + size
    )


@pytest.mark.long
def test_each_check(check: Callable[..., Checked], toolbox: Toolbox, tmp_path: Path) -> None:
    """For each invalid field the file is refused with a specific reason."""
    good = toolbox.skel("probe").read_bytes()
    loads = [(offset, header) for offset, header in headers(good) if header[0] == PT_LOAD]
    dynamic = next((offset, header) for offset, header in headers(good) if header[0] == PT_DYNAMIC)
    second = loads[1][0]
    table = dynamic[1][1]
    entries = [struct.unpack_from("<II", good, table + 8 * i) for i in range(dynamic[1][4] // 8)]
    at = {tag: table + 8 * i for i, (tag, _) in enumerate(entries)}
    cases = {
        "is not an ELF file": patched(good, 0, "<I", 0),
        "not a 32-bit little-endian": patched(good, 4, "<B", 2),
        "is for ELF machine 40": patched(good, 18, "<H", 40),
        "is not a shared object": patched(good, 16, "<H", 2),
        "program headers outside the file": patched(good, 28, "<I", len(good) - 8),
        "whose bytes are outside the file": patched(good, second + 4, "<I", len(good)),
        "exceeds the address space": patched(good, second + 8, "<I", 0xFFFFF000),
        "invalid alignment": patched(good, second + 28, "<I", 3),
        "overlapping segments": patched(good, second + 4, "<II", *loads[0][1][1:3]),
        "no dynamic segment": patched(good, dynamic[0], "<I", PT_NULL),
        "dynamic segment outside": patched(good, dynamic[0] + 8, "<I", 0x7F000000),
        "dynamic segment without an end": patched(good, dynamic[0] + 16, "<I", 8),
        "no valid string table": patched(good, at[10] + 4, "<I", 0x7FFFFFFF),  # DT_STRSZ
        "no hash table": patched(good, at[4], "<I", 0x6FFFFFF0),  # DT_VERSYM
        "invalid symbol table": patched(good, at[11] + 4, "<I", 17),  # DT_SYMENT
        "invalid hash table": patched(good, file_offset(good, dict(entries)[4]), "<I", 0),
        "symbol table outside": patched(good, at[6] + 4, "<I", 0x7F000000),  # DT_SYMTAB
        "relocations in a format": patched(good, at[20] + 4, "<I", 17),  # DT_PLTREL
        "relocations outside": patched(good, at[23] + 4, "<I", 0x7F000000),  # DT_JMPREL
        "spans": patched(good, loads[-1][0] + 8, "<I", 0x7FF00000 + loads[-1][1][2] % 4096),
    }
    nothing = bytearray(good)
    for offset, _ in loads:
        struct.pack_into("<I", nothing, offset, PT_NULL)
    cases["has no loadable segment"] = bytes(nothing)
    cases["fewer than an ELF header"] = good[:40]
    for reason, data in cases.items():
        file = tmp_path / "libbad_skel.so"
        file.write_bytes(data)
        result = check(file)
        assert result.status == 1, (reason, result)
        assert reason in result.text, (reason, result)
        assert result.text.startswith("0x8000045"), (reason, result)


def mutations(good: bytes, seed: int) -> bytes:
    """The file with some bytes changed, most of them in tables; sometimes it is truncated."""
    dice = random.Random(seed)
    data = bytearray(good)
    tables = [(0, 52)] + [(offset, 32) for offset, _ in headers(good)]
    for offset, header in headers(good):
        del offset
        if header[0] == PT_DYNAMIC:
            tables.append((header[1], header[4]))
    tables.append((0x100, 0x400))  # symbols, hash, strings, relocations follow the headers
    for _ in range(dice.randrange(1, 6)):
        start, size = dice.choice(tables) if dice.random() < 0.9 else (0, len(data))
        at = min(start + dice.randrange(size), len(data) - 5)
        change = dice.randrange(4)
        if change == 0:
            data[at] = dice.randrange(256)
        elif change == 1:
            data[at] ^= 1 << dice.randrange(8)
        else:
            word = dice.choice(
                [0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, len(data), dice.getrandbits(32)]
            )
            struct.pack_into("<I", data, at & ~3, word)
    if dice.random() < 0.1:
        del data[dice.randrange(len(data)) :]
    return bytes(data)


@pytest.mark.parametrize("start", range(0, 400, 100) if LONG else [0])
def test_mutated_skels_are_loaded_or_refused(
    check: Callable[..., Checked], toolbox: Toolbox, tmp_path: Path, start: int
) -> None:
    """For any bytes, the shell exits by itself and prints one line."""
    good = like_the_sdk(toolbox), toolbox.skel("gnu", "-Wl,--hash-style=gnu").read_bytes()

    def one(seed: int) -> tuple[int, Checked]:
        file = tmp_path / f"lib{seed}_skel.so"
        file.write_bytes(mutations(good[seed % 2], seed))
        return seed, check(file)

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, range(start, start + 100)))
    for seed, result in results:
        assert result.status in (0, 1), (seed, result)
        assert len(result.text.splitlines()) == 1, (seed, result)
    assert len({result.status for _, result in results}) == 2  # some are loaded, some refused


@pytest.mark.long
def test_very_many_mutated_skels(
    check: Callable[..., Checked], toolbox: Toolbox, tmp_path: Path
) -> None:
    good = like_the_sdk(toolbox), toolbox.skel("gnu", "-Wl,--hash-style=gnu").read_bytes()
    for seed in range(10_000, 14_000):
        file = tmp_path / "libmutated_skel.so"
        file.write_bytes(mutations(good[seed % 2], seed))
        assert check(file).status in (0, 1), seed
