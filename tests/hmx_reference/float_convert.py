"""The convert of float, v73 and newer: an accumulator and the word of a channel to 20 bits."""

from __future__ import annotations

from dataclasses import dataclass

from .bits import sticky
from .floats import LEAST_PRODUCT, MINUS, NAN, PLUS, Number, multiply

TRUE_ZERO = Number(0, LEAST_PRODUCT)
RETAIN, SIGNED, LARGEST, BRAIN, FINE = 1 << 0, 1 << 1, 1 << 6, 1 << 7, 1 << 8
"""Bits of Rs of `cvt`."""


@dataclass(frozen=True)
class Mode:
    """Rs of the convert, and bits 20 and 21 of USR."""

    rs: int
    infinities: bool = False
    nan: bool = False


def constant(bits: int, extra: int, extra_bits: int, infinities: bool) -> Number:
    """An fp16 number with more bits of mantissa: 1.0 has sig 2**(10 + extra_bits) and exp -1."""
    field, mantissa = bits >> 10 & 31, (bits & 1023) << extra_bits | extra
    negative = bits >> 15 & 1
    if infinities and field == 31:
        return Number(0, LEAST_PRODUCT, NAN if mantissa else MINUS if negative else PLUS)
    magnitude = mantissa + (1 << 10 + extra_bits if field else 0)
    if magnitude == 0:
        return TRUE_ZERO
    return Number(-magnitude if negative else magnitude, field - 16 if field else -15)


def add(a: Number, b: Number) -> Number:
    """The sum of two numbers of the same F; the one with the smaller exponent is shifted."""
    exp = max(a.exp, b.exp)
    sig = sticky(a.sig, exp - a.exp) + sticky(b.sig, exp - b.exp)
    return Number(sig, exp, a.inf | b.inf)


def _normalised(number: Number) -> Number:
    """16 bits, 3 of them before the point."""
    if number.inf or number.sig == 0:
        return Number(0, LEAST_PRODUCT, number.inf)
    shift = 30 - (number.sig if number.sig > 0 else ~number.sig).bit_length()
    sig = sticky(number.sig, 15 - shift) if shift <= 15 else number.sig << shift - 15
    exp = number.exp - shift + 6
    if exp > 127:
        return Number(0, LEAST_PRODUCT, MINUS if sig < 0 else PLUS)
    return Number(sig, exp) if exp >= -128 else TRUE_ZERO


def convert(acc: Number, word: int, mode: Mode, feedback: tuple[int, int] | None = None) -> int:
    """The 20 bits of the result; `feedback` replaces the bias (1) or the scale (2) by a number."""
    wide = mode.infinities
    scale, bias = (
        (word & 0xFFFF) << 4 | word >> 32 & 15,
        (word >> 16 & 0xFFFF) << 4 | word >> 36 & 15,
    )
    if feedback:
        scale = feedback[1] if feedback[0] == 2 else scale
        bias = feedback[1] if feedback[0] == 1 else bias
    offset = constant(word >> 48, word >> 43 & 31, 5, wide)
    offset = Number(offset.sig << 8, offset.exp, offset.inf)
    number = _normalised(add(acc, offset))
    shape, inverted = word >> 40 & 3, bool(word >> 42 & 1)
    negative = number.inf == MINUS or number.sig < 0
    if number.inf == NAN:
        replaced = shape in {1, 2} and not mode.nan
    else:
        replaced = shape == (2 if negative else 1)
    if replaced:
        number = TRUE_ZERO
    inverted ^= shape == 3 and negative
    scaled = multiply(number, constant(scale >> 4 ^ inverted << 15, scale & 15, 4, wide))
    last = constant(bias >> 4, bias & 15, 4, wide)
    total = add(scaled, Number(last.sig << 13, last.exp, last.inf))
    return rounded(total, mode)


def rounded(number: Number, mode: Mode) -> int:
    """fp16 with 4 more bits of mantissa, from a number with F = 26."""
    places = 14 if mode.rs & FINE else 10
    ordinary = 31 if mode.infinities else 32
    negative = number.sig < 0 or number.inf == MINUS
    if number.inf == NAN:
        if mode.nan or (mode.rs & SIGNED and not mode.rs & LARGEST):
            return 0xFFFFF
        negative = True
    bits = ordinary << places if number.inf else _magnitude(number, places)
    if negative and not mode.rs & SIGNED:
        return 0
    if bits >= ordinary << places:
        top = 0x7BFFF if mode.rs & LARGEST else 0x7C000 if mode.infinities else 0x7FFFF
        return negative << 19 | top
    return negative << 19 | bits << (14 - places)


def _magnitude(number: Number, places: int) -> int:
    """Exponent and mantissa, rounded to nearest, ties to even."""
    magnitude, scale = abs(number.sig), number.exp - 26
    if magnitude == 0:
        return 0
    exponent = max(magnitude.bit_length() - 1 + scale, -14)
    shift = exponent - places - scale  # to units in the last place
    if shift <= 0:
        units = magnitude << -shift
    else:
        units, rest = magnitude >> shift, magnitude & (1 << shift) - 1
        half = 1 << shift - 1
        units += rest > half or (rest == half and units & 1)
    return (exponent + 14 << places) + units if units >> places else units


def as_number(bits: int) -> int:
    """20 bits of a float as a number that compares like it."""
    return -(bits & 0x7FFFF) if bits >> 19 else bits
