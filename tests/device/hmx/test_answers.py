"""Examples of rules of docs/hmx.md that random programs seldom meet, each with its result."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pytest

from tests.device.fastrpc.toolbox import Toolbox

from .unit import BASE, Unit, running_unit

WEIGHTS, WORDS, OUT = 0x80000, 0xC0000, 0xC8000
TILE, ALL = 2048, 31 << 2
INFINITIES, PROPAGATES = 1 << 20, 1 << 21
MIN, MAX = 1 << 40, 2 << 40
"""Shapes, in the words of channels."""
TWO = 0x4000 << 16
READ_BYTE = [(24 - 8 * byte) << 10 for byte in range(4)]


def fp16(*numbers: float) -> bytes:
    """Channels from 0 on at the first position; weights of one channel are pairs of these."""
    return struct.pack(f"<{len(numbers)}e", *numbers)


def channels(*values: float | bytes) -> bytes:
    """Activations in fp16 of the channels from 0 on; the same at both rows that share 4 bytes."""
    return b"".join(2 * (value if isinstance(value, bytes) else fp16(value)) for value in values)


@dataclass(frozen=True)
class Product:
    """One pair; `start` and `stop` are the low bits of Rs and Rt."""

    arch: str
    activations: bytes
    weights: bytes
    start: int
    stop: int
    size: int = 1 << 16
    act: str = "hf=mxmem(Rs,Rt)"
    weight: str = "hf=mxmem(Rs,Rt)"

    def run(self, unit: Unit) -> None:
        unit.memory[: len(self.activations)] = self.activations
        unit.memory[WEIGHTS : WEIGHTS + len(self.weights)] = self.weights
        unit.run(("mxclracc", 0, 0))
        unit.run(("mxclracc.hf", 0, 0))
        unit.run(
            (f"activation.{self.act}", BASE + self.start, self.stop),
            (f"weight.{self.weight}", BASE + WEIGHTS, self.size - 1),
        )


def load_words(unit: Unit, *words: int) -> None:
    """The words of the channels, repeated."""
    every = list(words) * (32 // len(words))
    for at, shift in ((WORDS, 0), (WORDS + 128, 32)):
        packed = struct.pack("<32I", *(word >> shift & 0xFFFFFFFF for word in every))
        unit.memory[at : at + 128] = packed
    unit.run(("bias=mxmem2(Rs)", BASE + WORDS, 0))


def deep(first: int, last: int, *, act: str = "ub", tiles: int = 1, arch: str = "v73") -> Product:
    """A pair of activations and weights of ones."""
    is_float = act == "hf"
    one = fp16(1) if is_float else b"\1"
    activations, weights = one * (tiles * TILE // len(one)), one * (65536 // len(one))
    stop = (tiles - 1) * TILE | last << 2
    weight = "hf=mxmem(Rs,Rt)" if is_float else "b=mxmem(Rs,Rt)"
    act = f"{act}=mxmem(Rs,Rt):deep"
    return Product(arch, activations, weights, first << 2, stop, act=act, weight=weight)


SUMS = {
    "n:2x: 65,536 bytes": (
        Product(
            "v73",
            b"\1" * 40 * TILE,
            b"\x11" * 40960,
            0,
            39 * TILE | ALL,
            size=40960,
            act="ub=mxmem(Rs,Rt):deep",
            weight="n=mxmem(Rs,Rt):2x",
        ),
        17 * 1280,
    ),
    "one block, fours": (deep(6, 5), 4),
    "one block, nothing": (deep(6, 3), 0),
    "the stream goes on inside a vector": (
        Product(
            "v73",
            b"\1" * TILE,
            b"\2" * 128 + bytes(128),
            0x80 | 4 << 2,
            0x80 | 3 << 2,
            size=256,
            act="ub=mxmem(Rs,Rt)",
            weight="ubit=mxmem(Rs,Rt)",
        ),
        4,
    ),
    "65 blocks": (deep(0, 3, tiles=65), 63 * 32 + 4),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_bytes(toolbox: Toolbox, name: str) -> None:
    product, wanted = SUMS[name]
    got = []
    with running_unit(toolbox.hmx_unit(), product.arch) as unit:
        product.run(unit)
        for word in READ_BYTE:
            load_words(unit, word)
            unit.run(("mxmem(Rs,Rt):after:retain.ub=acc", BASE + OUT, 0))
            got.append(unit.memory[OUT])
    assert int.from_bytes(bytes(got), "little") == wanted


BIG = fp16(65504)
ONES = fp16(1) * 1024
MISSING = channels(1, 1, 1, 1, 0, b"\x00\x7c", 0, 0)
NAN = Product("v75", MISSING, ONES, 0, 3 << 2)
F8 = "f8=mxmem(Rs,Rt)"


def scalar(number: float, arch: str = "v81") -> Product:
    return Product(arch, channels(number), ONES, 0, ALL)


def old(*numbers: float, weights: bytes = ONES) -> Product:
    return Product("v68", channels(*numbers), weights, 0, 15 << 2)


@dataclass(frozen=True)
class Result:
    product: Product
    wanted: int
    word: int = 0x3C00
    rs: int = 2
    usr: int = 0
    convert: str = "cvt.hf=acc(Rs)"


DIRECT = "mxmem(Rs,Rt):after.hf=acc"
TO_F8 = "cvt.f8=acc(Rs)"
FOURS = Product("v68", channels(*[1] * 32), fp16(1) * 128 + fp16(2) * 896, 4 << 2, 7 << 2)
RESULTS = {
    "v68: fours": Result(FOURS, 0x4400, 0, convert=DIRECT),
    "one block, eights": Result(deep(6, 5, act="hf", arch="v75"), 0x4800),
    "v68: a step overflows": Result(old(*[65504] * 8, *[-65504] * 8), 0x7FFF, 0, convert=DIRECT),
    "v68: products overflow": Result(
        old(65504, -65504, weights=BIG * 1024), 0xFFFF, 0, convert=DIRECT
    ),
    "v68: the bias wraps": Result(old(32768, 32768), 0xFFFF, 0x7C00 << 16, convert=DIRECT),
    "missing weight": Result(NAN, 0xFFFF, usr=INFINITIES),
    "weights end": Result(
        Product("v75", MISSING, ONES, 0, 7 << 2, size=256), 0xFFFF, usr=INFINITIES
    ),
    "NaN, positive": Result(NAN, 0, rs=0, usr=INFINITIES),
    "NaN, positive, propagated": Result(NAN, 0xFFFF, rs=0, usr=INFINITIES | PROPAGATES),
    "NaN, min": Result(NAN, 0x4000, MIN | TWO | 0x3C00, usr=INFINITIES),
    "NaN, max": Result(NAN, 0x4000, MAX | TWO | 0x3C00, usr=INFINITIES),
    "NaN, max, propagated": Result(NAN, 0xFFFF, MAX | TWO | 0x3C00, usr=INFINITIES | PROPAGATES),
    "f8 0x80": Result(Product("v81", b"\x80", b"\x78" * TILE, 0, ALL, act=F8, weight=F8), 0xFE00),
    "f8: 1,000": Result(scalar(1000), 0x7F, convert=TO_F8),
    "f8: 1,000, infinities": Result(scalar(1000), 0x80, usr=INFINITIES, convert=TO_F8),
    "f8: 1,000, limited": Result(scalar(1000), 0x7F, rs=66, usr=INFINITIES, convert=TO_F8),
    "f8: 300": Result(scalar(300), 0x79, convert=TO_F8),
    "f8: -2^-20": Result(scalar(-(2.0**-20)), 0x80, convert=TO_F8),
    "70,000, limited": Result(
        Product("v75", channels(35000), fp16(2) * 1024, 0, ALL), 0x7C46, rs=66
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_floats(toolbox: Toolbox, name: str) -> None:
    result = RESULTS[name]
    with running_unit(toolbox.hmx_unit(), result.product.arch) as unit:
        unit.usr = result.usr
        load_words(unit, result.word)
        result.product.run(unit)
        if result.convert == DIRECT:
            unit.run((DIRECT, BASE + OUT, 0))
        else:
            unit.run((result.convert, result.rs, 0))
            unit.run(("mxmem(Rs,Rt)=cvt", BASE + OUT, 0))
        got = int.from_bytes(unit.memory[OUT : OUT + 2], "little")
    assert got & (0xFF if result.convert == TO_F8 else 0xFFFF) == result.wanted


@pytest.mark.parametrize(("arch", "wanted"), [("v69", 100), ("v73", 32868)])
def test_squares_of_v69(toolbox: Toolbox, arch: str, wanted: int) -> None:
    """Only the odd position and the odd output channel have a sum that is not 0."""
    weights = bytes([0, 0, 0, 0, 1, 0, 0, 0] * 16)
    act, weight = "ub=mxmem(Rs,Rt)", "b=mxmem(Rs,Rt)"
    product = Product(arch, b"\0\x64", weights, 0, ALL, size=128, act=act, weight=weight)
    with running_unit(toolbox.hmx_unit(), arch) as unit:
        load_words(unit, 0x4000, 0x40004000)
        product.run(unit)
        unit.run(("mxmem(Rs,Rt):after.uh=acc:2x2", BASE + OUT, 0))
        (got,) = struct.unpack_from("<H", unit.memory, OUT + 0)
    assert got == wanted


def test_feedback_reads_the_last_convert_of_its_own_half(toolbox: Toolbox) -> None:
    """A convert of float comes between the two of bytes; the second takes the larger bias."""
    with running_unit(toolbox.hmx_unit(), "v75") as unit:
        for text in ("mxclracc", "mxclracc.hf"):
            unit.run((text, 0, 0))
        converts = (
            ("cvt.ub", 0x40000000, 2),
            ("cvt.hf", TWO, 2),
            ("cvt.ub", 0, 2 | 1 << 2 | 1 << 4),
        )
        for text, word, rs in converts:
            load_words(unit, word)
            unit.run((f"{text}=acc(Rs)", rs, 0))
        unit.run(("mxmem(Rs,Rt)=cvt", BASE + OUT, 0))
        assert unit.memory[OUT] == 128


@pytest.mark.parametrize("fifth", [0, 1])
def test_a_step_with_an_activation_without_weight_is_not_skipped(
    toolbox: Toolbox, fifth: int
) -> None:
    """The step adds 0, but rounds a sum; then the sum is subtracted, and the rest is visible."""
    values = channels(1.5, 1, 1, 1.9990234375, 0.00048804283142089844, 1.5, *[1.9990234375] * 2)
    weights = fp16(1.9990234375) * 1024
    steps = ((values, 7, 0), (channels(0, 0, 0, 0, 0, fifth, 0, 0), 3, 0), (values, 7, 1 << 5))
    with running_unit(toolbox.hmx_unit(), "v75") as unit:
        load_words(unit, 0x3C00)
        unit.memory[WEIGHTS : WEIGHTS + TILE] = weights
        unit.run(("mxclracc.hf", 0, 0))
        for activations, stop, subtracts in steps:
            unit.memory[: len(activations)] = activations
            unit.run(
                ("activation.hf=mxmem(Rs,Rt)", BASE, stop << 2),
                ("weight.hf=mxmem(Rs,Rt)", BASE + WEIGHTS | subtracts, TILE - 1),
            )
        unit.run(("cvt.hf=acc(Rs)", 2, 0))
        unit.run(("mxmem(Rs,Rt)=cvt", BASE + OUT, 0))
        got = int.from_bytes(unit.memory[OUT : OUT + 2], "little")
    assert (got != 0) == (fifth != 0)
