"""qf32 and qf16 from v79 on, where registers have four more bits for each word."""

from __future__ import annotations

import random
import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import LONG
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, build_skel, install
from .qfloat_programs import INPUTS, REGISTERS, SLOTS, State, programs, reset, skel_of
from .qfloat_reference import Register, result
from .test_threads import case
from .test_translation import FIRST, FORMS, word_and_stores

QFLOAT = {
    bits: (syntax, fields) for bits, syntax, fields in FORMS if re.search(r"\.qf|vilog2", syntax)
}
SYNTAXES = [syntax for syntax, _ in QFLOAT.values()]
NEWER = {syntax for (_, syntax, _), first in zip(FORMS, FIRST, strict=True) if first > 79}
CPU = "-mcpu=hexagonv79+hvxv79+hvx_length128b+hvx_qfloat"
ROUNDS = 160 if LONG else 16
TURNS, ROUNDS_OF_A_TURN = (100, 64) if LONG else (1, 64)
PROGRAMS = 80
SPECIALS = {
    "qf32": [0x7FFFFF7F, 0x8000007F, 0x00000080, 0xFFFFFF80, 0x4000007F, 0xBFFFFF7F, 0, 0x7F],
    "sf": [0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000],
    "qf16": [0x7FFF, 0x801F, 0, 0xFFE0, 0x400F, 0xBFEF, 0x0F],
    "hf": [0, 1, 0x3FF, 0x400, 0x3C00, 0x7BFF, 0x7C00, 0x7E00],
}


def number(source: random.Random, kind: str) -> int:
    """Random bits, a special value, or a number near 1, whose upper bits can be equal."""
    width = 32 if kind in {"qf32", "sf"} else 16
    choice = source.random()
    if choice < 0.3:
        return source.getrandbits(width)
    if choice < 0.5:
        special = source.choice(SPECIALS[kind])
        return special | source.getrandbits(1) << width - 1 if kind[0] != "q" else special
    field, at = {"qf32": (0x7F, 0), "sf": (0x7F, 23), "qf16": (0x0F, 0), "hf": (0x0F, 10)}[kind]
    size = {"qf32": 8, "sf": 8, "qf16": 5, "hf": 5}[kind]
    exponent = field + source.randrange(-4, 5) << at
    others = source.getrandbits(width) & ~(((1 << size) - 1) << at)
    if choice < 0.65 and kind[0] == "q":
        shift = source.randrange(size, width)
        others = (source.getrandbits(width - shift) << size) * source.choice((1, -1))
        others &= (1 << width) - 1 & ~((1 << size) - 1)
    return others | exponent


def words(source: random.Random, kind: str) -> list[int]:
    if kind == "f8":
        return [source.getrandbits(32) for _ in range(32)]
    if kind in {"qf32", "sf"}:
        return [number(source, kind) for _ in range(32)]
    return [number(source, kind) | number(source, kind) << 16 for _ in range(32)]


def bits_of(source: random.Random, kind: str) -> list[int]:
    """Often those of a reset, and those of infinities."""
    if source.random() < 0.2:
        return [10] * 32
    return [source.choice((8, 13, 5, 0, 10)) if source.random() < 0.3 else source.getrandbits(4)
            for _ in range(32)]  # fmt: skip


def packed(values: list[int]) -> bytes:
    return struct.pack("<32I", *values)


def as_bytes(more: list[int]) -> bytes:
    return bytes(bits >> n & 1 for bits in more for n in range(4))


@pytest.fixture
def skel(toolbox: Toolbox, tmp_path: Path) -> Path:
    rows = [
        f"LIST({number}, 0x{word_and_stores(bits, fields)[0]:08x})"
        for number, (bits, (_, fields)) in enumerate(QFLOAT.items())
    ]
    (tmp_path / "forms.h").write_text("#define FORMS(LIST) \\\n" + " \\\n".join(rows) + "\n")
    return build_skel(toolbox, "qfloat", *QURT, f"-I{tmp_path}", f"-I{HERE / 'skel'}", CPU)


class Record(NamedTuple):
    """An instruction, its operands, and both for the skel."""

    syntax: str
    registers: dict[str, Register]
    data: bytes


def record(syntax: str, registers: dict[str, Register], scalar: int = 0) -> Record:
    names = ("Vu", "Vuu", "Vv")
    position = SYNTAXES.index(syntax)
    data = b"".join(packed(registers[name].words) for name in names)
    data += bytes(128) + struct.pack("<2I", scalar, position).ljust(128, b"\0")
    data += b"".join(as_bytes(registers[name].more) for name in names)
    operands = registers | {"Rt": reset([scalar] * 32)}
    return Record(syntax, operands, data.ljust(1024, b"\0"))


def records() -> Iterator[Record]:
    for syntax in SYNTAXES:
        source = random.Random(f"{syntax} 1")
        kinds = dict(re.findall(r"([VR]\w+)\.(qf32|qf16|sf|hf|f8)", syntax.split("=", 1)[1]))
        u = kinds.get("Vu") or kinds["Vuu"]
        of = {"Vu": u, "Vuu": u, "Vv": kinds.get("Vv", u)}
        for _ in range(ROUNDS):
            scalar = number(source, kinds["Rt"]) if "Rt" in kinds else source.getrandbits(32)
            if kinds.get("Rt") == "hf":
                scalar |= number(source, "hf") << 16
            registers = {
                name: Register(words(source, kind), bits_of(source, kind))
                for name, kind in of.items()
            }
            if source.random() < 0.1:
                registers["Vv"] = registers["Vu"]
            yield record(syntax, registers, scalar)


def executed(device: Device, skel: Path, chosen: list[Record]) -> list[list[Register]]:
    """What each has written: one register, or two."""
    install(device, skel, "qfloat")
    (device.root / "forms.in").write_bytes(b"".join(each.data for each in chosen))
    code, _, log = case(device, "qfloat", "forms")
    assert (code, log) == (0, ""), log
    results = (device.root / "forms.out").read_bytes()
    found = []
    for index in range(len(chosen)):
        lanes = struct.unpack_from("<128I", results, index * 768)
        halves = [(lanes[at : at + 32], lanes[64 + at : 96 + at]) for at in (0, 32)]
        found.append([Register(list(w), [_bits(more) for more in m]) for w, m in halves])
    return found


@pytest.mark.parametrize("arch", ["79", "81"])
def test_results(make_device: Callable[..., Device], skel: Path, arch: str) -> None:
    """Bit for bit those of exact arithmetic, with the extension bits or those of a reset."""
    chosen = [each for each in records() if arch == "81" or each.syntax not in NEWER]
    wrong: list[str] = []
    for each, found in zip(chosen, executed(make_device(arch=arch), skel, chosen), strict=True):
        for is_, wanted in zip(found, result(each.syntax, each.registers), strict=False):
            for lane in range(32):
                if is_.lane(lane) != wanted.lane(lane):
                    operands = [f"{n} {x.lane(lane)}" for n, x in each.registers.items()]
                    wrong.append(f"{each.syntax} {operands}: {is_.lane(lane)}, {wanted.lane(lane)}")
    lanes = 32 * len(chosen)
    assert not wrong, f"{len(wrong)} of {lanes} lanes\n" + "\n".join(wrong[:40])
    assert lanes >= (100_000 if LONG else 10_000)


def test_many_results(make_device: Callable[..., Device], skel: Path, tmp_path: Path) -> None:
    """The same, compared by a program for this machine."""
    program, forms = tmp_path / "reference", tmp_path / "forms"
    source = HERE / "qfloat" / "reference.c"
    subprocess.run(["gcc", "-O2", source, "-o", program], check=True)
    forms.write_text("".join(f"{number} {syntax}\n" for number, syntax in enumerate(SYNTAXES)))
    device = make_device(arch="81")
    install(device, skel, "qfloat")
    inputs, outputs = device.root / "forms.in", device.root / "forms.out"
    lanes = 0
    for turn in range(TURNS):
        with inputs.open("wb") as file:
            numbers = [str(ROUNDS_OF_A_TURN), str(turn + 1)]
            subprocess.run([program, "make", forms, *numbers], stdout=file, check=True)
        code, _, log = case(device, "qfloat", "forms")
        assert code == 0, log
        command: list[str | Path] = [program, "check", forms, inputs, outputs]
        *differences, counts = subprocess.check_output(command, text=True).splitlines()
        compared, wrong = map(int, counts.split())
        assert wrong == 0, "\n".join(differences)
        lanes += compared
    assert lanes >= (10_000_000 if LONG else 100_000)


def _bits(more: int) -> int:
    return (more | more >> 8 | more >> 16 | more >> 24) & 15


# ---- programs ----


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
def test_programs(
    make_device: Callable[..., Device], toolbox: Toolbox, tmp_path: Path, seed: int
) -> None:
    """The bits get from instruction to instruction on all paths, and are reset elsewhere."""
    chosen = list(programs(seed, PROGRAMS))
    functions = {name: lines for name, lines, *_ in chosen}
    device = make_device(arch="79")
    skel = skel_of(toolbox, tmp_path, f"qfloat_programs{seed}", functions, "79")
    install(device, skel, "qfloat_programs")
    source = random.Random(seed)
    inputs = [words(source, source.choice(("qf32", "sf", "qf16"))) for _ in range(INPUTS)]
    (device.root / "programs.in").write_bytes(b"".join(packed(each) for each in inputs))
    code, _, log = case(device, "qfloat_programs", "programs")
    assert (code, log) == (0, ""), log
    results = (device.root / "programs.out").read_bytes()
    for index, (name, lines, program, observed) in enumerate(chosen):
        found = struct.unpack_from("<512I", results, index * 2048)
        registers = [reset(each) for each in inputs]
        state = State(registers, inputs, [list(each) for each in inputs[:SLOTS]])
        program.run(state)
        for number, register in enumerate(state.registers):
            assert list(found[number * 32 :][:32]) == register.words, _listing(name, number, lines)
        for position, number in enumerate(observed):
            more = [_bits(each) for each in found[(REGISTERS + position) * 32 :][:32]]
            assert more == state.registers[number].more, _listing(name, number, lines)


def test_the_packet_that_gets_bits_reads_a_vector_for_the_last_time(
    make_device: Callable[..., Device], toolbox: Toolbox, tmp_path: Path
) -> None:
    """The shell can have these bits in that vector only after the packet."""
    lines = [
        *(".type f,@function", "f:", ".cfi_startproc", "{ p1 = cmp.eq(r0,r1) }"),
        "{ v0 = vmem(r0+#0) }\n{ v16 = vmem(r0+#1) }\n{ v17 = vmem(r0+#2) }",
        "{ v1.qf32 = vmpy(v0.sf,v0.sf); vmem(r1+#0) = v16 }",
        "{ if (p1) v1 = v0; v2.w = vadd(v17.w,v0.w) }",
        "{ v1.sf = v1.qf32; vmem(r1+#1) = v2 }\n{ vmem(r1+#2) = v1 }",
        *("{ jumpr r31 }", ".cfi_endproc", ".size f,.-f"),
    ]
    device = make_device(arch="79")
    install(device, skel_of(toolbox, tmp_path, "last_read", {"f": lines}, "79"), "qfloat_programs")
    ones, stored, added = [0x3F800000] * 32, list(range(32)), list(range(100, 132))
    (device.root / "programs.in").write_bytes(b"".join(map(packed, (ones, stored, added))) * 3)
    assert case(device, "qfloat_programs", "programs")[0] == 0
    found = struct.unpack_from("<96I", (device.root / "programs.out").read_bytes())
    assert list(found[:32]) == stored
    assert list(found[32:64]) == [0x3F800000 + each for each in added]
    assert list(found[64:]) == ones


def test_a_temporary_register_that_is_not_loaded(
    make_device: Callable[..., Device], toolbox: Toolbox, tmp_path: Path
) -> None:
    """QEMU 7.2 lacks Vd.tmp=Vu, and later ones would give its reader the register's old value."""
    packet = "{ v3.tmp = v2; v5.qf32 = vadd(v3.qf32,v2.qf32) }"
    lines = [".type f,@function", "f:", packet, "{ jumpr r31 }", ".size f,.-f"]
    device = make_device(arch="79")
    install(device, skel_of(toolbox, tmp_path, "temporary", {"f": lines}, "79"), "qfloat_programs")
    (device.root / "programs.in").write_bytes(bytes(1024))
    _, _, log = case(device, "qfloat_programs", "programs")
    assert "vadd(Vu.qf32,Vv.qf32): the emulated device does not execute this instruction" in log
    assert "it gives a register a value for the packet alone (.tmp) that it does not load" in log


def _listing(name: str, number: int, lines: list[str]) -> str:
    return f"v{number} of {name}\n" + "\n".join(lines)
