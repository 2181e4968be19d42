"""qf32 and qf16 from v79 on, where registers have four more bits for each word."""

from __future__ import annotations

import hashlib
import random
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

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
    cpu = "-mcpu=hexagonv79+hvxv79+hvx_length128b+hvx_qfloat"
    return build_skel(toolbox, "qfloat", *QURT, f"-I{tmp_path}", f"-I{HERE / 'skel'}", cpu)


def records() -> Iterator[tuple[str, dict[str, Register], bytes]]:
    """Instructions, their operands, and both for the skel."""
    for position, (syntax, _) in enumerate(QFLOAT.values()):
        source = random.Random(f"{syntax} 1")
        kinds = dict(re.findall(r"([VR]\w+)\.(qf32|qf16|sf|hf)", syntax.split("=", 1)[1]))
        for _ in range(ROUNDS):
            scalar = number(source, kinds["Rt"]) if "Rt" in kinds else source.getrandbits(32)
            if kinds.get("Rt") == "hf":
                scalar |= number(source, "hf") << 16
            u = kinds.get("Vu", kinds.get("Vuu", "qf32"))
            of = {"Vu": u, "Vuu": u, "Vv": kinds.get("Vv", u)}
            registers = {
                name: Register(words(source, kind), bits_of(source, kind))
                for name, kind in of.items()
            }
            if source.random() < 0.1:
                registers["Vv"] = registers["Vu"]
            record = b"".join(packed(registers[name].words) for name in of)
            record += bytes(128) + struct.pack("<2I", scalar, position).ljust(128, b"\0")
            record += b"".join(as_bytes(registers[name].more) for name in of)
            registers["Rt"] = Register([scalar] * 32, [10] * 32)
            yield syntax, registers, record.ljust(1024, b"\0")


@pytest.mark.parametrize("arch", ["79", "81"])
def test_results(make_device: Callable[..., Device], skel: Path, arch: str) -> None:
    """Bit for bit those of exact arithmetic, with the extension bits, and a reset where none are."""
    device = make_device(arch=arch)
    install(device, skel, "qfloat")
    chosen = [record for record in records() if arch == "81" or not NEWER.search(record[0])]
    (device.root / "forms.in").write_bytes(b"".join(record for *_, record in chosen))
    code, _, log = case(device, "qfloat", "forms")
    assert (code, log) == (0, ""), log
    results = (device.root / "forms.out").read_bytes()
    wrong: list[str] = []
    for index, (syntax, registers, _) in enumerate(chosen):
        found = struct.unpack_from("<192I", results, index * 768)
        for half, expected in enumerate(result(syntax, registers)):
            values, more = found[half * 32 :][:32], found[64 + half * 32 :][:32]
            for lane in range(32):
                is_ = values[lane], _bits(more[lane])
                wanted = expected.words[lane], expected.more[lane]
                if is_ != wanted:
                    operands = {
                        name: (hex(register.words[lane]), register.more[lane])
                        for name, register in registers.items()
                    }
                    wrong.append(f"{syntax} {operands}: {_shown(is_)} instead of {_shown(wanted)}")
    lanes = 32 * len(chosen)
    assert not wrong, f"{len(wrong)} of {lanes} lanes\n" + "\n".join(wrong[:40])
    assert lanes >= (10_000_000 // 5 if LONG else 10_000)


def _bits(more: int) -> int:
    return (more | more >> 8 | more >> 16 | more >> 24) & 15


def _shown(lane: tuple[int, int]) -> str:
    return f"{lane[0]:08x}:{lane[1]:x}"


# ---- programs ----


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
def test_programs(
    make_device: Callable[..., Device], toolbox: Toolbox, tmp_path: Path, seed: int
) -> None:
    """The bits get from instruction to instruction, on all paths, and are reset where they are lost."""
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
