"""What qf32 and qf16 are, and what instructions compute with them, from v79 on, in integers.

It is written from descriptions of Qualcomm's emulator, and shares nothing with the emulated
device.  A register has four more bits for each word (L, R, E and Q, from bit 3), in which qf16 has
two bits for each half (L and R).
"""

from __future__ import annotations

import enum
import re
from fractions import Fraction
from typing import NamedTuple


class Kind(enum.Enum):
    NUMBER = enum.auto()
    INFINITY = enum.auto()
    NAN = enum.auto()


class Format(NamedTuple):
    """Of qf: numbers are units * 2 ** (exponent - fraction)."""

    fraction: int
    least: int  # exponents
    greatest: int
    specials: dict[tuple[Kind, bool], tuple[int, int]]  # of a sign; bits and more bits
    overflow: tuple[tuple[int, int], tuple[int, int]]
    underflow: tuple[tuple[int, int], tuple[int, int]]


QF32 = Format(
    *(23, -255, 256),
    {
        (Kind.NAN, False): (0x7FFFFF7F, 0xD),
        (Kind.NAN, True): (0x8000007F, 0),
        (Kind.INFINITY, False): (0x7FFFFF7F, 8),
        (Kind.INFINITY, True): (0x8000007F, 5),
    },
    ((0x7FFFFF7F, 9), (0x8000007F, 4)),
    ((0x80, 1), (0xFFFFFF80, 0xC)),
)
QF16 = Format(
    *(10, -15, 16),
    {
        (Kind.NAN, False): (0x7FFF, 3),
        (Kind.NAN, True): (0x801F, 0),
        (Kind.INFINITY, False): (0x7FFF, 2),
        (Kind.INFINITY, True): (0x801F, 1),
    },
    ((0x7FFF, 2), (0x801F, 1)),
    ((0, 0), (0xFFE0, 3)),
)
FORMATS = {"qf32": QF32, "qf16": QF16}
IEEE = {"sf": (8, 23), "hf": (5, 10), "bf": (8, 7)}  # bits of the exponent and of the fraction
WIDTH = {"sf": 32, "qf32": 32, "w": 32, "hf": 16, "qf16": 16, "bf": 16, "f8": 8}


class Number(NamedTuple):
    kind: Kind
    units: int
    fraction: int
    exponent: int
    late: bool  # it was negated after it was rounded; of IEEE numbers, it is negative
    more: bool = False  # what was computed is a little above the number before it was negated

    @property
    def negative(self) -> bool:
        return self.units < 0 or (self.units == 0 and self.late)

    def negated(self) -> Number:
        return self._replace(units=-self.units, late=not self.late)


def signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> width - 1 else bits


def of_qf32(bits: int, more: int) -> Number:
    left, right, high, sticky = (more >> n & 1 for n in (3, 2, 1, 0))
    units = 2 * signed(bits >> 8, 24) + left + right
    exponent = ((bits & 0xFF) + 256 * high - 128) % 512 - 255
    kind = Kind.NUMBER
    if bits in {0x7FFFFF7F, 0x8000007F}:
        kinds = {
            0x7FFFFF7F: {8: Kind.INFINITY, 9: Kind.INFINITY, 12: Kind.NAN, 13: Kind.NAN},
            0x8000007F: {4: Kind.INFINITY, 5: Kind.INFINITY, 0: Kind.NAN, 1: Kind.NAN},
        }
        kind = kinds[bits].get(more, Kind.NUMBER)
    return Number(kind, units, 23, exponent, bool(right), right != sticky)


def of_qf16(bits: int, more: int) -> Number:
    units = 2 * signed(bits >> 5, 11) + (more >> 1) + (more & 1)
    kinds = {(0x7FFF, 2): Kind.INFINITY, (0x801F, 1): Kind.INFINITY}
    kinds |= {(0x7FFF, 3): Kind.NAN, (0x801F, 0): Kind.NAN}
    kind = kinds.get((bits, more), Kind.NUMBER)
    return Number(kind, units, 10, (bits & 31) - 15, bool(more & 1))


def of_ieee(bits: int, exponent_bits: int, fraction: int) -> Number:
    bias = (1 << exponent_bits - 1) - 1
    negative = bool(bits >> exponent_bits + fraction)
    field, low = bits >> fraction & (1 << exponent_bits) - 1, bits & (1 << fraction) - 1
    size = low | bool(field) << fraction
    kind = Kind.NUMBER
    if field == (1 << exponent_bits) - 1:
        kind = Kind.NAN if low else Kind.INFINITY
    return Number(kind, -size if negative else size, fraction, max(field, 1) - bias, negative)


def of_f8(bits: int) -> Number:
    """Of 4 bits of an exponent and 3 of a fraction, with neither infinity nor -0."""
    field, low, negative = bits >> 3 & 15, bits & 7, bits > 0x7F
    size = (low | bool(field) << 3) << 7
    kind = Kind.NAN if bits == 0x80 else Kind.NUMBER
    return Number(kind, -size if negative else size, 10, max(field, 1) - 7, negative)


def encode(form: Format, units: int, below: int, exponent: int, *, late: bool) -> tuple[int, int]:
    """The result of units / 2**below at an exponent; of one that is negated late, the opposite."""
    if late:
        units = -units
    two = 2 << form.fraction + below
    if (units >= two or units < -two) and exponent < form.greatest:
        below, exponent, two = below + 1, exponent + 1, 2 * two
    negative = (units < 0) != late
    if exponent > form.greatest or (
        exponent == form.greatest and (units >= two // 2 or units < -two // 2)
    ):
        return form.overflow[negative]
    if exponent < form.least:
        return form.underflow[negative]
    whole, rest, half = units >> below, units & (1 << below) - 1, (1 << below) // 2
    up = bool(rest) and (rest > half or (rest == half and whole % 2 == 1))
    sticky = bool(rest) and not up
    if late:
        whole, up, sticky = ~whole, not up, not sticky
    if form is QF16:
        return (whole >> 1 & 0x7FF) << 5 | exponent + 15 & 31, (whole & 1) << 1 | up
    field = exponent + 383
    more = (whole & 1) << 3 | up << 2 | (field >> 8 & 1) << 1 | sticky
    return (whole >> 1 & 0xFFFFFF) << 8 | field & 0xFF, more


def log_of_significand(number: Number) -> int:
    """Of the significand before it was negated: the bits that it needs beside its sign."""
    units = -number.units if number.late else number.units
    return (units if units > 0 else -units - 1).bit_length() - 1 - number.fraction


def add(form: Format, a: Number, b: Number) -> tuple[int, int]:
    special = [x for x in (a, b) if x.kind is not Kind.NUMBER]
    nan = [x for x in special if x.kind is Kind.NAN]
    if nan:
        return form.specials[Kind.NAN, all(x.negative for x in nan)]
    if len({x.negative for x in special}) == 2:
        return form.specials[Kind.NAN, False]
    if special:
        return form.specials[Kind.INFINITY, special[0].negative]
    high, low = (a, b) if a.exponent > b.exponent else (b, a)
    exponent = low.exponent
    if high.units:
        more = log_of_significand(high) - (a.negative != b.negative)
        exponent = max(exponent, high.exponent + more)
    units = (high.units << high.exponent - low.exponent) + low.units
    return encode(form, units, exponent - low.exponent, exponent, late=a.late and b.late)


def multiply(form: Format, a: Number, b: Number) -> tuple[int, int]:
    negative = a.negative != b.negative
    kinds = {a.kind, b.kind}
    if kinds != {Kind.NUMBER}:
        nan = Kind.NAN in kinds or any(x.kind is Kind.NUMBER and x.units == 0 for x in (a, b))
        return form.specials[Kind.NAN if nan else Kind.INFINITY, negative]
    before = any((-x.units if x.late else x.units) < 0 for x in (a, b))
    late = (a.late != b.late) != before
    units = a.units * b.units
    below = a.fraction + b.fraction - form.fraction
    if below < 0:
        units, below = units << -below, 0
    exponent = a.exponent + b.exponent if units else form.least
    return encode(form, units, below, exponent, late=late)


def normalized(form: Format, a: Number) -> tuple[int, int]:
    return add(form, a, Number(Kind.NUMBER, 0, form.fraction, form.least, late=True))


def to_ieee(number: Number, exponent_bits: int, fraction: int) -> int:
    sign = number.negative << exponent_bits + fraction
    infinity = ((1 << exponent_bits) - 1) << fraction
    if number.kind is Kind.NAN:
        return sign | (1 << exponent_bits + fraction) - 1
    if number.kind is Kind.INFINITY:
        return sign | infinity
    if number.units == 0:
        return sign
    # with bits below, so that the last one can stand for what is lost
    before = ((-number.units if number.late else number.units) << 64) + number.more
    size = abs(before)
    bias = (1 << exponent_bits - 1) - 1
    exponent = number.exponent - number.fraction
    highest = abs(number.units).bit_length() - 1 + exponent
    below = max(highest, 1 - bias) - fraction - exponent + 64
    units, rest, half = size >> below, size & (1 << below) - 1, 1 << below - 1
    units += rest > half or (rest == half and units % 2 == 1)
    units += (max(highest, 1 - bias) + bias - 1) << fraction
    return sign | min(units, infinity)


def to_f8(half: int) -> int:
    number = of_ieee(half, *IEEE["hf"])
    size = abs(number.units)
    highest = max(size.bit_length() - 1 - number.fraction + number.exponent, -6)
    shift = number.exponent - number.fraction - highest + 3
    rounded = (highest + 6 << 3) + round(size * Fraction(2) ** shift)  # ties to even
    if number.kind is not Kind.NUMBER or rounded > 0x7F:
        return 0x80
    return rounded | number.negative << 7 if rounded else 0


def log_2(number: Number, width: int) -> int:
    greatest = (1 << width - 1) - 1
    if number.units == 0:
        return greatest + 1
    if number.kind is not Kind.NUMBER:
        return greatest - (number.kind is Kind.INFINITY)
    log = abs(number.units).bit_length() - 1 - number.fraction + number.exponent
    return log & (1 << width) - 1


# ---- instructions ----


class Register(NamedTuple):
    """32 words, and four more bits for each."""

    words: list[int]
    more: list[int]

    def lane(self, number: int) -> str:
        return f"{self.words[number]:08X}:{self.more[number]:X}"


RESET = [10] * 32
SYNTAX = re.compile(r"(Vdd?)\.(\w+)=(?:(v\w+)\((.*)\)|(.*))")


def _lanes(kind: str, register: Register) -> list[Number]:
    if kind == "f8":
        return [of_f8(word >> 8 * n & 0xFF) for word in register.words for n in range(4)]
    if WIDTH[kind] == 32:
        pairs = zip(register.words, register.more, strict=True)
        return [of_qf32(*x) if kind == "qf32" else of_ieee(x[0], *IEEE[kind]) for x in pairs]
    halves = [
        (word >> 16 * half & 0xFFFF, more >> 2 * half & 3)
        for word, more in zip(register.words, register.more, strict=True)
        for half in (0, 1)
    ]
    return [of_qf16(*x) if kind == "qf16" else of_ieee(x[0], *IEEE[kind]) for x in halves]


def _computed(
    operation: str | None, form: Format, operands: list[list[Number]]
) -> list[tuple[int, int]]:
    if operation in {"vadd", "vsub"}:
        u, v = operands
        if operation == "vsub":
            v = [x.negated() for x in v]
        return [add(form, a, b) for a, b in zip(u, v, strict=True)]
    if operation == "vmpy":
        return [multiply(form, a, b) for a, b in zip(*operands, strict=True)]
    numbers = operands[0]
    if operation in {"vneg", "vabs"}:
        numbers = [x.negated() if operation == "vneg" or x.negative else x for x in numbers]
    return [normalized(form, x) for x in numbers]


def _halves(lanes: list[tuple[int, int]]) -> Register:
    pairs = list(zip(lanes[::2], lanes[1::2], strict=True))
    return Register(
        [even[0] | odd[0] << 16 for even, odd in pairs],
        [even[1] | odd[1] << 2 for even, odd in pairs],
    )


def result(syntax: str, registers: dict[str, Register]) -> list[Register]:
    """What an instruction writes, of the registers Vu, Vv and so on; Rt is one with equal words."""
    match = SYNTAX.fullmatch(syntax)
    assert match, syntax
    target, kind, operation, arguments, source = match.groups()
    texts = [text.split(".") for text in (arguments or source).split(",")]
    if texts[0][0] == "Vuu":  # even halves of the result are of the lower register
        low, high = (_lanes(texts[0][1], registers[name]) for name in ("Vu", "Vuu"))
        both = [to_ieee(x, *IEEE[kind]) for pair in zip(low, high, strict=True) for x in pair]
        return [_halves([(bits, 2) for bits in both])]
    operands = [_lanes(kind, registers[name]) for name, kind in texts]
    if operation == "vilog2":
        width = WIDTH[texts[0][1]]
        logs = [log_2(x, width) for x in operands[0]]
        return [Register(logs, RESET) if width == 32 else _halves([(x, 2) for x in logs])]
    if kind == "f8":  # in the lower bytes of halves
        return [_halves([(to_f8(to_ieee(x, *IEEE["hf"])), 2) for x in operands[0]])]
    if kind in IEEE:
        bits = [to_ieee(x, *IEEE[kind]) for x in operands[0]]
        return [Register(bits, RESET) if kind == "sf" else _halves([(x, 2) for x in bits])]
    lanes = _computed(operation, FORMATS[kind], operands)
    parts = (lanes[::2], lanes[1::2]) if target == "Vdd" else (lanes,)
    if kind == "qf16":
        return [_halves(part) for part in parts]
    return [Register([x[0] for x in part], [x[1] for x in part]) for part in parts]
