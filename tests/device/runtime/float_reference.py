"""What instructions of HVX floating point compute, in exact arithmetic.

It is written from the manuals and from QEMU's implementation, and shares nothing with the emulated
device.  Numbers are fractions; infinities and NaN are kinds of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from .operands import BITS, Inputs, joined, lanes

IEEE = {"sf": (8, 23), "hf": (5, 10), "bf": (8, 7)}  # bits of the exponent and the fraction
QFLOAT = {"qf32": (8, 23), "qf16": (5, 10)}
INTEGERS = {
    "w": (-(1 << 31), (1 << 31) - 1),
    "h": (-(1 << 15), (1 << 15) - 1),
    "uh": (0, (1 << 16) - 1),
    "b": (-(1 << 7), (1 << 7) - 1),
    "ub": (0, (1 << 8) - 1),
}
NUMBER, INFINITY, NAN = range(3)


class Lane(NamedTuple):
    """A number, with its sign, which 0 has too, and the exponent that its format gives it."""

    kind: int
    negative: bool
    value: Fraction = Fraction(0)
    exponent: int = 0
    quiet: bool = True

    @property
    def sign(self) -> int:
        return -1 if self.negative else 1


NOT_A_NUMBER = Lane(NAN, negative=False)


def two(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def decode(kind: str, bits: int) -> Lane:
    if kind in IEEE:
        return _decode_ieee(bits, *IEEE[kind])
    width = BITS[kind]
    if kind in QFLOAT:
        exponent_bits, fraction = QFLOAT[kind]
        exponent = (bits & (1 << exponent_bits) - 1) - (1 << exponent_bits - 1) + 1
        significand = _signed(bits >> exponent_bits, width - exponent_bits) * 2 + 1
        value = significand * two(exponent - fraction)
        return Lane(NUMBER, value < 0, value, exponent)
    value = Fraction(bits if kind.startswith("u") else _signed(bits, width))
    return Lane(NUMBER, value < 0, value)


def _signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> width - 1 else bits


def _decode_ieee(bits: int, exponent_bits: int, fraction: int) -> Lane:
    negative = bool(bits >> exponent_bits + fraction)
    field = bits >> fraction & (1 << exponent_bits) - 1
    low = bits & (1 << fraction) - 1
    bias = (1 << exponent_bits - 1) - 1
    exponent = max(field, 1) - bias
    if field == (1 << exponent_bits) - 1:
        quiet = bool(low >> fraction - 1)
        # Instructions of qf take it for a number.
        value = (low | 1 << fraction) * two(exponent - fraction)
        return Lane(
            NAN if low else INFINITY, negative, -value if negative else value, exponent, quiet
        )
    value = (low | (1 << fraction if field else 0)) * two(exponent - fraction)
    return Lane(NUMBER, negative, -value if negative else value, exponent)


# ---- rounding: Python's round() rounds fractions to even ----


def floor_log2(value: Fraction) -> int:
    value = abs(value)
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if two(guess) <= value else guess - 1


def encode(kind: str, lane: Lane, *, to_nearest: bool = True, signed_nan: bool = False) -> int:
    if kind in IEEE:
        return _encode_ieee(lane, *IEEE[kind])
    if kind in QFLOAT:
        return _encode_qfloat(lane, *QFLOAT[kind])
    least, greatest = INTEGERS[kind]
    if lane.kind == NAN:
        result = least if signed_nan and lane.negative else greatest
    elif lane.kind == INFINITY:
        result = least if lane.negative else greatest
    else:
        whole = round(lane.value) if to_nearest else int(lane.value)
        result = min(max(whole, least), greatest)
    return result & (1 << BITS[kind]) - 1


def _encode_ieee(lane: Lane, exponent_bits: int, fraction: int) -> int:
    sign = int(lane.negative) << exponent_bits + fraction
    infinity = ((1 << exponent_bits) - 1) << fraction
    bias = (1 << exponent_bits - 1) - 1
    if lane.kind == NAN:
        return (1 << exponent_bits + fraction) - 1
    if lane.kind == INFINITY:
        return sign | infinity
    if lane.value == 0:
        return sign
    exponent = max(floor_log2(lane.value), 1 - bias)
    units = round(abs(lane.value) / two(exponent - fraction))
    return sign | min(((exponent + bias - 1) << fraction) + units, infinity)


def _encode_qfloat(lane: Lane, exponent_bits: int, fraction: int) -> int:
    """Rounds as v68 to v75 do; `lane.exponent` is the exponent that the result should have."""
    value, exponent = lane.value, lane.exponent
    highest = 1 << exponent_bits - 1
    lowest = 1 - highest
    if value == 0:
        return 0
    negative = value < 0
    overflow = value >= two(exponent + 1) or value < -two(exponent + 1)
    if exponent > highest or (exponent == highest and overflow):
        significand = -1 << fraction if negative else (1 << fraction) - 1
        exponent = highest
    elif exponent < lowest - 1:
        significand = -1 if negative else 0
        exponent = lowest
    else:
        raised = overflow or exponent == lowest - 1
        exponent += raised
        quarters = value / two(exponent - fraction + 2)
        whole = quarters.numerator // quarters.denominator
        rest = quarters - whole
        significand = 2 * whole
        if raised or exponent == highest:
            significand += rest > Fraction(1, 2)
        elif rest > Fraction(5, 8):
            significand += 1
        elif rest > Fraction(3, 8):
            significand = whole
            exponent += 1
    field = exponent + highest - 1 & (1 << exponent_bits) - 1
    return (significand << exponent_bits | field) & (1 << exponent_bits + fraction + 1) - 1


# ---- arithmetic ----


def add(a: Lane, b: Lane) -> Lane:
    if NAN in (a.kind, b.kind):
        return NOT_A_NUMBER
    if a.kind == b.kind == INFINITY:
        return a if a.negative == b.negative else NOT_A_NUMBER
    if INFINITY in (a.kind, b.kind):
        return a if a.kind == INFINITY else b
    value = a.value + b.value
    return Lane(NUMBER, value < 0 or (value == 0 and a.negative and b.negative), value)


def multiply(a: Lane, b: Lane) -> Lane:
    negative = a.negative != b.negative
    if NAN in (a.kind, b.kind):
        return NOT_A_NUMBER
    if INFINITY in (a.kind, b.kind):
        zero = (a.kind == NUMBER and a.value == 0) or (b.kind == NUMBER and b.value == 0)
        return NOT_A_NUMBER if zero else Lane(INFINITY, negative)
    return Lane(NUMBER, negative, a.value * b.value)


def negate(a: Lane) -> Lane:
    return a._replace(negative=not a.negative, value=-a.value)


def add_qfloat(a: Lane, b: Lane) -> Lane:
    large, small = (a, b) if a.exponent > b.exponent else (b, a)
    exponent = small.exponent
    if large.value:
        exponent = max(exponent, floor_log2(large.value))
    return Lane(NUMBER, False, a.value + b.value, exponent)


def multiply_qfloat(a: Lane, b: Lane) -> Lane:
    return Lane(NUMBER, False, a.value * b.value, a.exponent + b.exponent)


def rank(a: Lane, *, signed_zeros: bool = False) -> tuple[int, Fraction, int]:
    """What can be compared: quiet NaN > signalling NaN > infinity > numbers."""
    zero = -1 if signed_zeros and a.negative and a.value == 0 else 0
    if a.kind == NUMBER:
        return 0, a.value, zero
    size = 1 if a.kind == INFINITY else 2 + a.quiet
    return a.sign * size, Fraction(0), 0


# ---- instructions ----

SYNTAX = re.compile(r"([VQ]\w+?)(?:\.(\w+))?([+&|^]?)=(?:(v[\w.]+)\((.*)\)|(.*))")
OPERAND = re.compile(r"(V)(u|uu|v)(?:\.(\w+))?")


def result(syntax: str, inputs: Inputs) -> bytes:
    """What the instruction writes: a vector, a pair, or, for predicates, a byte for each bit."""
    match = SYNTAX.fullmatch(syntax.removesuffix(":rnd"))
    assert match, syntax
    target, kind, accumulate, operation, arguments, source = match.groups()
    operands = [OPERAND.fullmatch(text) for text in (arguments or source).split(",")]
    kinds = [operand[3] for operand in operands if operand]
    registers = [operand[1] + operand[2] for operand in operands if operand]
    if target.startswith("Q"):
        return b"".join(_predicate(operation, accumulate, kinds[0], inputs))
    if operation in {"vmax", "vmin"} or (operation in SIGNS and kind in IEEE):
        return _bitwise(operation, kind, inputs)
    if operation == "vfmv":
        return inputs.u
    pair = len(target) == 3
    sources = [_source(register, kinds[i], inputs) for i, register in enumerate(registers)]
    before = [decode(kind, bits) for bits in lanes(kind, inputs.x + (inputs.xx if pair else b""))]
    if operation == "vdmpy":
        values = list(_dot(*sources))
    elif operation == "vcvt" and len(sources) == 2:
        values = _two_vectors(BITS[kinds[0]] // BITS[kind] * BITS[kind], kind, sources)
    else:
        values = list(map(_operation(operation, kind), *sources))
    if pair:
        values = _spread(values, BITS[kinds[0]])
    if accumulate:
        values = list(map(add, values, before))
    is_vcvt = operation == "vcvt"  # which does not look at the sign of a NaN
    to_nearest = is_vcvt or syntax.endswith(":rnd")
    numbers = [encode(kind, x, to_nearest=to_nearest, signed_nan=not is_vcvt) for x in values]
    if kind in IEEE and kinds[0] in QFLOAT:
        numbers = [_finite(bits, x, *IEEE[kind]) for bits, x in zip(numbers, values, strict=True)]
    return joined(kind, numbers)


def _finite(bits: int, lane: Lane, exponent_bits: int, fraction: int) -> int:
    """In place of infinity the greatest number, if it is near enough, or all ones but the sign."""
    infinity = ((1 << exponent_bits) - 1) << fraction
    sign = 1 << exponent_bits + fraction
    if bits & ~sign != infinity:
        return bits
    return bits - 1 if abs(lane.value) < two(1 << exponent_bits - 1) else bits | sign - 1


SIGNS = {"vabs", "vfneg"}


def _source(register: str, kind: str, inputs: Inputs) -> list[Lane]:
    if register == "Vuu":  # the even lanes of the result come from the lower vector
        both = zip(lanes(kind, inputs.u), lanes(kind, inputs.uu), strict=True)
        return [decode(kind, bits) for pair in both for bits in pair]
    return [decode(kind, bits) for bits in lanes(kind, inputs.u if register == "Vu" else inputs.v)]


def _operation(operation: str | None, kind: str) -> Callable[..., Lane]:
    qfloat = kind in QFLOAT
    if operation in {None, "vcvt"}:
        return lambda a: a
    if operation == "vmpy":
        return multiply_qfloat if qfloat else multiply
    if operation in {"vfmax", "vfmin"}:
        return lambda a, b: _extreme(a, b, greatest=operation == "vfmax")
    plus = add_qfloat if qfloat else add
    return plus if operation == "vadd" else lambda a, b: plus(a, negate(b))


def _extreme(a: Lane, b: Lane, *, greatest: bool) -> Lane:
    if NAN in (a.kind, b.kind):
        return NOT_A_NUMBER
    first = rank(a, signed_zeros=True) >= rank(b, signed_zeros=True)
    return a if first == greatest else b


def _dot(u: list[Lane], v: list[Lane]) -> Iterator[Lane]:
    products = list(map(multiply, u, v))
    for even, odd in zip(products[::2], products[1::2], strict=True):
        yield decode("sf", encode("sf", add(even, odd)))


def _two_vectors(width: int, kind: str, sources: list[list[Lane]]) -> list[Lane]:
    """Of two vectors one: lanes in turn, or two bytes of each in turn."""
    u, v = sources
    step = 2 if BITS[kind] == 8 else 1
    parts = [part[at : at + step] for at in range(0, len(u), step) for part in (u, v)]
    return [lane for part in parts for lane in part]


def _spread(values: list[Lane], width: int) -> list[Lane]:
    """Lanes of wider numbers in two vectors: even ones in the lower one; of bytes, two in turn."""
    step = 2 if width == 8 else 1
    groups = [values[at : at + step] for at in range(0, len(values), step)]
    return [lane for half in (groups[::2], groups[1::2]) for group in half for lane in group]


def _predicate(operation: str, accumulate: str, kind: str, inputs: Inputs) -> Iterator[bytes]:
    size = BITS[kind] // 8
    for i, (u, v) in enumerate(zip(lanes(kind, inputs.u), lanes(kind, inputs.v), strict=True)):
        a, b = decode(kind, u), decode(kind, v)
        greater = operation.endswith("gt")
        holds = rank(a) > rank(b) if greater else rank(a) == rank(b) and a.kind != NAN
        for old in inputs.q[i * size : (i + 1) * size]:
            bit = bool(old & 1)
            new = {"": holds, "&": holds and bit, "|": holds or bit, "^": holds != bit}[accumulate]
            yield bytes([new])


def _bitwise(operation: str, kind: str, inputs: Inputs) -> bytes:
    """Of NaN, these keep the bits."""
    sign = 1 << BITS[kind] - 1
    if operation == "vabs":
        return joined(kind, [bits & ~sign for bits in lanes(kind, inputs.u)])
    if operation == "vfneg":
        return joined(kind, [bits ^ sign for bits in lanes(kind, inputs.u)])
    both = zip(lanes(kind, inputs.u), lanes(kind, inputs.v), strict=True)
    if kind == "bf":
        chosen = [
            encode(kind, _extreme(decode(kind, u), decode(kind, v), greatest=operation == "vmax"))
            for u, v in both
        ]
        return joined(kind, chosen)
    choose = max if operation == "vmax" else min
    # NaN are more than infinity, those with more bits set the most; or less, if negative.
    return joined(
        kind, [choose(u, v, key=lambda x: -(x & ~sign) - 1 if x & sign else x) for u, v in both]
    )
