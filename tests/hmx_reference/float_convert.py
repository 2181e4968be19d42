"""The convert of float, v73 and newer: an accumulator and the word of a channel to 20 or 8 bits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .bits import sticky
from .floats import LEAST_PRODUCT, MINUS, NAN, PLUS, Number, multiply

TRUE_ZERO = Number(0, LEAST_PRODUCT)
RETAIN, SIGNED, LARGEST, BRAIN, FINE = 1 << 0, 1 << 1, 1 << 6, 1 << 7, 1 << 8
"""Bits of Rs of `cvt`."""


@dataclass(frozen=True)
class Mode:
    """Rs of the convert, bits 20 and 21 of USR, and whether it is `cvt.f8`."""

    rs: int
    infinities: bool = False
    nan: bool = False
    small: bool = False


def constant(bits: int, extra_bits: int, infinities: bool, brain: bool = False) -> Number:
    """An fp16 or bf16 number, then more bits of mantissa: 1.0 has sig 2**(10 + extra_bits).

    The exponent of 1.0 is -1.
    """
    number, extra = bits >> extra_bits, bits & (1 << extra_bits) - 1
    field, mantissa = number >> 10 & 31, number & 1023
    if brain:
        field, mantissa = number >> 7 & 255, (number & 127) << 3
    half = 128 if brain else 16
    negative, mantissa = number >> 15 & 1, mantissa << extra_bits | extra
    if infinities and field == 2 * half - 1:
        return Number(0, LEAST_PRODUCT, NAN if mantissa else MINUS if negative else PLUS)
    magnitude = mantissa + (1 << 10 + extra_bits if field else 0)
    if magnitude == 0:
        return TRUE_ZERO
    return Number(-magnitude if negative else magnitude, max(field, 1) - half)


def _finer(number: Number, bits: int) -> Number:
    """The same number with an F that is larger by `bits`."""
    return Number(number.sig << bits, number.exp, number.inf)


def add(a: Number, b: Number) -> Number:
    """The sum of two numbers of the same F; the one with the smaller exponent is shifted."""
    exp = max(a.exp, b.exp)
    sig = sticky(a.sig, exp - a.exp) + sticky(b.sig, exp - b.exp)
    return Number(sig, exp, a.inf | b.inf)


def _normalised(number: Number) -> Number:
    """16 bits, 3 of them before the point; with the exponent of a true zero if it is too small."""
    if number.inf or number.sig == 0:
        return Number(0, LEAST_PRODUCT, number.inf)
    shift = 30 - (number.sig if number.sig > 0 else ~number.sig).bit_length()
    sig = sticky(number.sig, 15 - shift) if shift <= 15 else number.sig << shift - 15
    exp = number.exp - shift + 6
    if exp > 127:
        return Number(0, LEAST_PRODUCT, MINUS if sig < 0 else PLUS)
    return Number(sig, exp if exp >= -128 else LEAST_PRODUCT)


def convert(acc: Number, word: int, mode: Mode, feedback: tuple[int, int] | None = None) -> int:
    """The bits of the result: 20, or 8 of `cvt.f8`.

    `feedback` replaces the bias (1) or the scale (2) by a number.
    """
    wide, brain = mode.infinities, bool(mode.rs & BRAIN)
    scale, bias = (
        (word & 0xFFFF) << 4 | word >> 32 & 15,
        (word >> 16 & 0xFFFF) << 4 | word >> 36 & 15,
    )
    if feedback:
        scale = feedback[1] if feedback[0] == 2 else scale
        bias = feedback[1] if feedback[0] == 1 else bias
    offset = constant(word >> 48 << 5 | word >> 43 & 31, 5, wide, brain)
    number = _normalised(add(acc, _finer(offset, 8)))
    shape, inverted = word >> 40 & 3, bool(word >> 42 & 1)
    negative = number.negative
    if number.inf == NAN:
        replaced = shape in {1, 2} and not mode.nan
    else:
        replaced = shape == (2 if negative else 1)
    if replaced:
        number = TRUE_ZERO
    inverted ^= shape == 3 and negative
    factor = constant(scale ^ inverted << 19, 4, wide, brain)
    scaled = multiply(number, factor)
    if number.exp == LEAST_PRODUCT:
        scaled = replace(scaled, exp=LEAST_PRODUCT)
    total = add(scaled, _finer(constant(bias, 4, wide, brain), 13))
    return rounded_f8(total, mode) if mode.small else rounded(total, mode)


def rounded(number: Number, mode: Mode) -> int:
    """20 bits of fp16, with 10 or 14 bits of mantissa, or of bf16, from a number with F = 26."""
    brain = mode.rs & BRAIN
    exponent_bits = 8 if brain else 5
    spare = 0 if mode.rs & FINE and not brain else 4
    infinity = (1 << exponent_bits) - 1 << 19 - exponent_bits
    negative = number.negative
    if number.inf == NAN:
        if mode.nan or (mode.rs & SIGNED and not mode.rs & LARGEST):
            return 0xFFFFF
        negative = True
    most = infinity if mode.infinities else 1 << 19
    places = 19 - exponent_bits - spare
    bits = most if number.inf else _magnitude(number, exponent_bits, places) << spare
    if negative and not mode.rs & SIGNED:
        return 0
    if bits >= most:
        bits = infinity - 1 if mode.rs & LARGEST else infinity if mode.infinities else 0x7FFFF
    return negative << 19 | bits


def rounded_f8(number: Number, mode: Mode) -> int:
    """The byte of `cvt.f8`."""
    limited = mode.rs & LARGEST or not mode.infinities
    negative = number.negative
    if number.inf == NAN:
        if not mode.rs & SIGNED and not mode.nan:
            return 0
        return 0xFF if limited else 0x80
    most = 0x78 if mode.infinities else 0x80
    bits = most if number.inf else _magnitude(number, 4, 3)
    if negative and not mode.rs & SIGNED:
        return 0
    if bits >= most:
        bits = 0x7F
        if not limited:
            return 0x80
    return negative << 7 | bits


def _magnitude(number: Number, exponent_bits: int, places: int) -> int:
    """Exponent and mantissa, rounded to nearest, ties to even."""
    magnitude, scale = abs(number.sig), number.exp - 26
    if magnitude == 0:
        return 0
    least = 2 - (1 << exponent_bits - 1)
    exponent = max(magnitude.bit_length() - 1 + scale, least)
    shift = exponent - places - scale  # to units in the last place
    if shift <= 0:
        units = magnitude << -shift
    else:
        units, rest = magnitude >> shift, magnitude & (1 << shift) - 1
        half = 1 << shift - 1
        units += rest > half or (rest == half and units & 1)
    return (exponent - least << places) + units


def as_number(bits: int) -> int:
    """20 bits of a float as a number that compares like it."""
    return -(bits & 0x7FFFF) if bits >> 19 else bits
