"""The reference of HMX gives the results that docs/hmx.md states for unusual operands."""

from __future__ import annotations

import pytest

from tests.hmx_reference import float_convert, old_float
from tests.hmx_reference.float_convert import Mode
from tests.hmx_reference.floats import NAN, PLUS, Number
from tests.hmx_reference.forms import Instruction, form
from tests.hmx_reference.machine import Machine
from tests.hmx_reference.pair import Activation, Weight, steps
from tests.hmx_reference.spatial import TILE
from tests.hmx_reference.weights import stream_limit

W = 70 * TILE


def _steps(act: tuple[str, int, int], weight: tuple[str, int, int], arch: int) -> list[list[int]]:
    """The channels of each step of a pair."""
    loads = [Instruction(form(text), rs, rt).load() for text, rs, rt in (act, weight)]
    assert isinstance(loads[0], Activation)
    assert isinstance(loads[1], Weight)
    return [list(step.channels) for step in steps(loads[0], loads[1], arch)]


@pytest.mark.parametrize("arch", [68, 69, 73])
def test_old_float_counts_channels_in_fours(arch: int) -> None:
    act = ("activation.hf=mxmem(Rs,Rt)", 4 << 2, 7 << 2)
    assert _steps(act, ("weight.hf=mxmem(Rs,Rt)", 0, 2047), arch) == [[4, 5, 6, 7]]


@pytest.mark.parametrize(
    ("kind", "limit"),
    [
        *((kind, 65536) for kind in ("b", "sm", "hf", "n:2x")),
        *(("n", 32768), ("c", 16384), ("sc", 16384), ("ubit", 8192), ("sbit", 8192)),
    ],
)
def test_limits_of_weights(kind: str, limit: int) -> None:
    assert stream_limit(kind) == limit


@pytest.mark.parametrize(
    ("blocks", "start", "stop", "products"),
    [(1, 6, 5, 4), (1, 6, 3, 0), (64, 0, 31, 2048), (65, 0, 3, 63 * 32 + 4)],
)
def test_blocks_of_deep(blocks: int, start: int, stop: int, products: int) -> None:
    one = Machine(75, bytearray(b"\x01" * 104 * TILE))
    act = ("activation.ub=mxmem(Rs,Rt):deep", start << 2, (blocks - 1) * TILE | stop << 2)
    pair = (act, ("weight.b=mxmem(Rs,Rt)", W, 65535))
    one.execute([Instruction(form(text), rs, rt) for text, rs, rt in pair])
    assert one.value(0, 0) == products


def test_the_weight_stream_goes_on_inside_a_vector() -> None:
    act = ("activation.ub=mxmem(Rs,Rt)", 4 << 2 | 1 << 7, 3 << 2 | 1 << 7)
    loads = [
        Instruction(form(text), rs, rt).load()
        for text, rs, rt in (act, ("weight.ubit=mxmem(Rs,Rt)", 0, 2047))
    ]
    assert isinstance(loads[0], Activation)
    assert isinstance(loads[1], Weight)
    assert [(step.y, step.weights) for step in steps(loads[0], loads[1], 75)] == [(0, 0), (1, 4)]


def _accumulator(
    arch: int, row: list[int], stop: int, *, infinities: bool = False, rt: int = 2047
) -> Machine:
    """A machine after a pair of a row of activations in fp16 and weights of 1.0."""
    one = Machine(arch, bytearray(4 * TILE), infinities=infinities)
    for channel, bits in enumerate(row):
        one.memory[4 * channel : 4 * channel + 2] = bits.to_bytes(2, "little")
    one.memory[TILE : 2 * TILE] = b"\x00\x3c" * (TILE // 2)
    pair = (
        ("activation.hf=mxmem(Rs,Rt)", 0, stop << 2),
        ("weight.hf=mxmem(Rs,Rt)", TILE, rt),
    )
    one.execute([Instruction(form(text), rs, rt) for text, rs, rt in pair])
    return one


@pytest.mark.parametrize(
    ("row", "sign"),
    [([0x7BFF] * 8 + [0xFBFF] * 8, 1), ([0xFBFF] * 8 + [0x7BFF] * 8, -1), ([0x3C00] * 16, 0)],
)
def test_old_float_remembers_the_first_overflow(row: list[int], sign: int) -> None:
    assert _accumulator(68, row, 15).overflow[0][0][0] == sign


@pytest.mark.parametrize(
    ("products", "sign"), [([1 << 66, -(1 << 66)], -1), ([1 << 65], 1), ([-(1 << 65)], 0)]
)
def test_old_float_overflow_of_products(products: list[int], sign: int) -> None:
    assert old_float.overflow(products) == sign


def test_old_float_wraps_the_sum_with_the_bias() -> None:
    assert old_float.convert(65536 << old_float.UNIT, 0, 0x7C00 << 16, positive=False) == 0xFFFF


@pytest.mark.parametrize(("stop", "rt"), [(3, 2047), (7, 255)])
def test_a_missing_weight_times_infinity_is_nan(stop: int, rt: int) -> None:
    row = [0x3C00] * 5 + [0x7C00]
    one = _accumulator(75, row, stop, infinities=True, rt=rt)
    assert one.floats[0][0][0].inf == NAN
    assert float_convert.convert(one.floats[0][0][0], 0x3C00, Mode(2, True)) >> 4 == 0xFFFF


def test_activations_without_a_weight_count_for_the_rule_of_zeros() -> None:
    """A step that is not left out normalises the accumulator."""
    one = Machine(75, bytearray(4 * TILE))
    one.memory[20:22] = b"\x00\x3c"
    one.memory[TILE : 2 * TILE] = b"\x00\x3c" * (TILE // 2)
    one.floats[0][0][0] = Number(1 << 20, 0)
    pair = (("activation.hf=mxmem(Rs,Rt)", 0, 3 << 2), ("weight.hf=mxmem(Rs,Rt)", TILE, 2047))
    one.execute([Instruction(form(text), rs, rt) for text, rs, rt in pair])
    assert one.floats[0][0][0] != Number(1 << 20, 0)


def test_f8_0x80_is_an_ordinary_number_without_infinities() -> None:
    one = Machine(81, bytearray(4 * TILE))
    one.memory[0] = one.memory[1] = 0x80
    one.memory[TILE : 2 * TILE] = b"\x78" * TILE
    pair = (("activation.f8=mxmem(Rs,Rt)", 0, 2047), ("weight.f8=mxmem(Rs,Rt)", TILE, 2047))
    one.execute([Instruction(form(text), rs, rt) for text, rs, rt in pair])
    acc = one.floats[0][0][0]
    assert (acc.inf, acc.sig * 2.0 ** (acc.exp - 22)) == (0, -98304)


@pytest.mark.parametrize(
    ("word", "rs", "nan", "result"),
    [
        (0x3C00, 0, False, 0),
        (0x3C00, 0, True, 0xFFFF),
        *((0x40003C00 | shape << 40, 2, False, 0x4000) for shape in (1, 2)),
        *((0x40003C00 | shape << 40, 2, True, 0xFFFF) for shape in (1, 2)),
    ],
)
def test_nan_in_a_convert(word: int, rs: int, nan: bool, result: int) -> None:
    acc = Number(0, -64, NAN)
    assert float_convert.convert(acc, word, Mode(rs, True, nan)) >> 4 == result


def test_a_large_number_with_the_largest_one_as_limit() -> None:
    mode = Mode(float_convert.SIGNED | float_convert.LARGEST)
    assert float_convert.rounded(Number(70000 << 26, 0), mode) >> 4 == 0x7C46
    assert float_convert.rounded(Number(140000 << 26, 0), mode) == 0x7BFFF


@pytest.mark.parametrize(("arch", "result"), [(69, 100), (73, 32868)])
def test_uh_2x2_has_the_old_rule_before_v73(arch: int, result: int) -> None:
    one = Machine(arch, bytearray(4 * TILE))
    one.fixed[0][0][1][1] = 100
    one.bias[0][0], one.bias[0][1] = 0x4000, 0x40004000
    one.convert("uh:2x2", 2, direct=True)
    cell = one.states[0]
    assert cell[0][1] >> 4 | cell[1][1] >> 4 << 8 == result


POSITIVE, ANY, LARGEST = 0, float_convert.SIGNED, float_convert.LARGEST
INFINITE = True


@pytest.mark.parametrize(
    ("number", "rs", "infinities", "nan", "result"),
    [
        (Number(32 << 26, 0), ANY, False, False, 0x60),
        (Number(300 << 26, 0), ANY, False, False, 0x79),
        (Number(1000 << 26, 0), ANY, False, False, 0x7F),
        (Number(-1000 << 26, 0), ANY, False, False, 0xFF),
        (Number(240 << 26, 0), ANY, INFINITE, False, 0x77),
        (Number(256 << 26, 0), ANY, INFINITE, False, 0x80),
        (Number(0, 0, PLUS), ANY, INFINITE, False, 0x80),
        (Number(-256 << 26, 0), ANY | LARGEST, INFINITE, False, 0xFF),
        (Number(0, 0, NAN), ANY, INFINITE, False, 0x80),
        (Number(0, 0, NAN), ANY | LARGEST, INFINITE, False, 0xFF),
        (Number(0, 0, NAN), ANY, False, False, 0xFF),
        (Number(0, 0, NAN), POSITIVE, INFINITE, False, 0),
        (Number(0, 0, NAN), POSITIVE, INFINITE, True, 0x80),
        (Number(-1 << 6, 0), ANY, False, False, 0x80),
        (Number(-1000 << 26, 0), POSITIVE, False, False, 0),
        (Number(-1000 << 26, 0), POSITIVE, INFINITE, False, 0),
    ],
)
def test_special_results_of_f8(
    number: Number, rs: int, infinities: bool, nan: bool, result: int
) -> None:
    assert float_convert.rounded_f8(number, Mode(rs, infinities, nan)) == result


@pytest.mark.parametrize(("scale", "result"), [(0x3F80, 0x4009), (0x4000, 0x4089)])
def test_bf16_scale_and_result(scale: int, result: int) -> None:
    """2.134 times 1.0 and 2.0, to 7 bits of mantissa."""
    acc = Number(int(2.134 * 2**23), -1)
    fine = float_convert.BRAIN | float_convert.FINE | ANY
    assert float_convert.convert(acc, scale, Mode(fine)) == result << 4


def test_infinity_plus_a_negative_bias_stays_positive() -> None:
    """The sum of an accumulator that overflowed while infinities are disabled."""
    acc, word = Number(0, 0, PLUS), 0xC000 << 16 | 0x3C00
    assert float_convert.convert(acc, word, Mode(ANY)) == 0x7FFFF


def test_a_number_below_the_exponents_of_the_convert_keeps_its_sign() -> None:
    assert float_convert.convert(Number(-1 << 22, -200), 0x3C00, Mode(ANY)) >> 4 == 0x8000


@pytest.mark.parametrize(("part", "result"), [(0, b"\x60\x50"), (1, b"\x00\x60")])
def test_f8_replaces_one_byte_of_a_row(part: int, result: bytes) -> None:
    one = Machine(81, bytearray(TILE))
    one.floats[0][0][0] = Number(32 << 22, 0)
    one.bias[0][0] = 0x3C00
    one.convert("hf", ANY | float_convert.RETAIN, direct=False)
    one.convert("ub", ANY, direct=False)  # bytes of the other half do not count
    one.convert("f8", ANY | part << 11, direct=False)
    one.execute([Instruction(form("mxmem(Rs,Rt).f8=cvt"))])
    assert one.memory[:2] == result
