"""qf32 and qf16 from v79 on, where registers have four more bits for each word."""

from __future__ import annotations

import hashlib
import random
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import LONG
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, build_skel, install
from .qfloat_programs import INPUTS, REGISTERS, SLOTS, State, programs, reset
from .qfloat_reference import Register, result
from .test_threads import case
from .test_translation import FORMS, word_and_stores

QFLOAT = {
    bits: (syntax, fields)
    for bits, syntax, fields in FORMS
    if re.search(r"\.qf|vilog2", syntax) and "f8" not in syntax
}
SYNTAXES = [syntax for syntax, _ in QFLOAT.values()]
NEWER = re.compile(r"vilog2|vneg|vabs|Vd\.qf\d\d=Vu|sub\(Vu\.[sh]f,Vv\.qf|\.bf=")
"""Of v81."""
CPU = "-mcpu=hexagonv79+hvxv79+hvx_length128b+hvx_qfloat"
ROUNDS = 1600 if LONG else 16
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
        kinds = dict(re.findall(r"([VR]\w+)\.(qf32|qf16|sf|hf)", syntax.split("=", 1)[1]))
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
    chosen = [each for each in records() if arch == "81" or not NEWER.search(each.syntax)]
    wrong: list[str] = []
    for each, found in zip(chosen, executed(make_device(arch=arch), skel, chosen), strict=True):
        for is_, wanted in zip(found, result(each.syntax, each.registers), strict=False):
            for lane in range(32):
                if is_.lane(lane) != wanted.lane(lane):
                    operands = [f"{n} {x.lane(lane)}" for n, x in each.registers.items()]
                    wrong.append(f"{each.syntax} {operands}: {is_.lane(lane)}, {wanted.lane(lane)}")
    lanes = 32 * len(chosen)
    assert not wrong, f"{len(wrong)} of {lanes} lanes\n" + "\n".join(wrong[:40])
    assert lanes >= (1_000_000 if LONG else 10_000)


ADD, SUB, MUL = (f"Vd.qf32={name}(Vu.sf,Vv.sf)" for name in ("vadd", "vsub", "vmpy"))
ADD_QF, SUB_QF, MUL_QF = (f"Vd.qf32={name}(Vu.qf32,Vv.qf32)" for name in ("vadd", "vsub", "vmpy"))
ADD_HF, MUL_HF = (f"Vd.qf16={name}(Vu.hf,Vv.hf)" for name in ("vadd", "vmpy"))
TO_SF, TO_HF, PAIR_TO_HF = "Vd.sf=Vu.qf32", "Vd.hf=Vu.qf16", "Vd.hf=Vuu.qf32"
WIDE = "Vdd.qf32=vmpy(Vu.hf,Vv.hf)"
QF16_HF = "Vd.qf16=vmpy(Vu.qf16,Vv.hf)"

ROWS = [
    # recorded on Qualcomm's simulators (tests of quic/qemu), in part without the bits
    (MUL_QF, "FFFFFFFF", "FFFFFFFF", "0000007F"),
    (SUB_QF, "FDE1D91D", "FFFFFF80", "7FFFFF68"),
    (SUB_QF, "FFFFFFFF", "FFFFFF80", "800000E7"),
    (SUB_QF, "FFFFFF80:F", "FFFFFF80", "00000080:7"),
    (TO_HF, "4A777C7B", "", "5CA76FC7"),
    (QF16_HF, "9BF4", "0057", "F766"),
    (QF16_HF, "0000", "0000", "0000"),
    # measured (dlwlzero/nntrainer, GrigoryEvko/qwen-mobile), or of Qualcomm's emulator
    (TO_SF, "12345678", "", "3B11A2B4"),
    (TO_SF, "3F800000", "", "003F8000"),
    (TO_SF, "00000080", "", "34800000"),
    (TO_SF, "4000007F:2", "", "3F800000"),
    (TO_SF, "4000007F", "", "3F800001"),
    (TO_SF, "BFFFFF7F", "", "BF800001"),
    (TO_SF, "40000001", "", "00800001"),
    (TO_HF, "3C00", "", "01E0"),
    (TO_HF, "5082", "", "0909"),
    (TO_HF, "7FFF", "", "7C00"),
    (ADD, "3F800000", "40000000", "60000080:2"),
    (ADD, "3F800000", "33800000", "4000007F:3"),
    (ADD, "3F800001", "33800000", "4000007F:E"),
    (ADD, "3F800000", "33800001", "4000007F:6"),
    (ADD, "BF800000", "B3800000", "BFFFFF7F:E"),
    (SUB, "3F800000", "30800000", "7FFFFF7E:E"),
    (SUB, "3F800000", "3F800000", "0000007F:2"),
    (ADD, "80000000", "80000000", "FFFFFF01:F"),
    (ADD, "80000000", "00000000", "00000001:2"),
    (ADD, "7F7FFFFF", "7F7FFFFF", "7FFFFFFF:A"),
    (MUL_QF, "7FFFFFFF:A", "4000007E:2", "7FFFFFFE:A"),
    (MUL, "7F7FFFFF", "7F7FFFFF", "7FFFFF7E:1"),
    (MUL_QF, "7FFFFF7E:1", "7FFFFF7E:1", "7FFFFF7F:9"),
    (MUL, "3DCCCCCD", "40400000", "4CCCCC7D:E"),
    (MUL, "BDCCCCCD", "40400000", "B333337D:3"),
    (MUL, "00800000", "3F000000", "40000000:2"),
    (MUL, "00000000", "80000000", "FFFFFF80:D"),
    (MUL, "00000000", "00000000", "00000080:0"),
    (MUL, "00400001", "3FC00000", "30000001:E"),
    (SUB, "3F800001", "3F800000", "0000007F:A"),
    (MUL_QF, "0000007F:A", "0000007F:A", "0000007F:3"),
    ("Vd.qf32=vadd(Vu.qf32,Vv.sf)", "0000007F:A", "00000000", "40000068:2"),
    (MUL_QF, "40000068:2", "40000068:2", "40000051:2"),
    (ADD, "7F800000", "FF800000", "7FFFFF7F:D"),
    (ADD, "FF800000", "3F800000", "8000007F:5"),
    (MUL, "00000000", "7F800000", "7FFFFF7F:D"),
    (MUL, "7FC00000", "BF800000", "8000007F:0"),
    (WIDE, "3C01", "3C01", "4020047F:2"),
    (WIDE, "0001", "0001", "00000463:2"),
    (WIDE, "8001", "3C00", "FFEFFF71:F"),
    (ADD, "3F801000", "30800000", "4008007F:3"),
    (PAIR_TO_HF, "4008007F:3", "", "3C013C01"),
    (PAIR_TO_HF, "4008007F:2", "", "3C003C00"),
    (PAIR_TO_HF, "BFF7FF7F:E", "", "BC01BC01"),
    (ADD_HF, "3C00", "4000", "6010:0"),
    (ADD_HF, "3C00", "1000", "400F:0"),
    (ADD_HF, "7BFF", "7BFF", "7FFF:2"),
    (ADD_HF, "F800", "F800", "801F:1"),
    (MUL_HF, "0400", "3800", "4000:0"),
    (MUL_HF, "0400", "0400", "0000:0"),
    (MUL_HF, "0400", "8400", "FFE0:3"),
    (MUL_HF, "3555", "4200", "7FEE:3"),
    ("Vd.qf16=vmpy(Vu.qf16,Vv.qf16)", "5082", "400D:0", "5080:2"),
    ("Vd.qf32=vsub(Vu.qf32,Vv.sf)", "4000007F:E", "3F800002", "FFFFFF7F:F"),
    # of v81
    ("Vd.bf=Vuu.qf32", "12345678", "", "3B123B12"),
    ("Vd.qf32=Vu.sf", "BF800000", "", "BFFFFF7F:F"),
    ("Vd.qf32=Vu.sf", "80000000", "", "FFFFFF80:D"),
    ("Vd.qf32=Vu.sf", "00000001", "", "400000EA:0"),
    ("Vd.qf32=Vu.sf", "7FC00000", "", "7FFFFF7F:D"),
    ("Vd.qf16=vneg(Vu.hf)", "4000", "", "BFF0:3"),
    ("Vd.w=vilog2(Vu.qf32)", "60000080:2", "", "00000001"),
    ("Vd.w=vilog2(Vu.qf32)", "0000007F:A", "", "FFFFFFE9"),
]
"""Instruction, operands and result: a lane, which can be a half, and the bits if not of a reset."""


def lanes_of(text: str) -> Register:
    bits, _, more = text.partition(":")
    if len(bits) == 4:
        half = int(more or "2", 16)
        return Register([int(bits, 16) * 0x10001] * 32, [half * 5] * 32)
    return Register([int(bits or "0", 16)] * 32, [int(more or "A", 16)] * 32)


def test_known_results(make_device: Callable[..., Device], skel: Path) -> None:
    chosen = []
    for syntax, u, v, _ in ROWS:
        first = lanes_of(u)
        chosen.append(record(syntax, {"Vu": first, "Vuu": first, "Vv": lanes_of(v)}))
    for row, found in zip(ROWS, executed(make_device(arch="81"), skel, chosen), strict=True):
        expected = lanes_of(row[3])
        assert found[0].words == expected.words, row
        assert found[0].more == expected.more or ":" not in row[3], row


def _bits(more: int) -> int:
    return (more | more >> 8 | more >> 16 | more >> 24) & 15


# ---- programs ----


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
def test_programs(
    make_device: Callable[..., Device], toolbox: Toolbox, tmp_path: Path, seed: int
) -> None:
    """The bits get from instruction to instruction on all paths, and are reset elsewhere."""
    chosen = list(programs(seed, PROGRAMS))
    text = "\n".join(line for _, lines, *_ in chosen for line in lines) + "\n"
    (tmp_path / "programs.s").write_text(text)
    table = "".join(f"LIST({name}) \\\n" for name, *_ in chosen)
    (tmp_path / "programs.h").write_text(f"#define PROGRAMS(LIST) {table}\n")
    # The compiler's cache does not know of files that assembly includes.
    flags = [f"-DPROGRAMS_ARE={hashlib.sha256(text.encode()).hexdigest()}"]
    flags += [f"-I{tmp_path}", f"-I{HERE / 'skel'}", f"-Wa,-I{tmp_path}", CPU]
    device = make_device(arch="79")
    skel = build_skel(toolbox, f"qfloat_programs{seed}", *QURT, *flags, source="qfloat_programs")
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


def _listing(name: str, number: int, lines: list[str]) -> str:
    return f"v{number} of {name}\n" + "\n".join(lines)
