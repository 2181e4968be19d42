"""Float of v68 and v69: an exact sum, rounded once."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from .bits import sext

UNIT = 48
"""Accumulators are in units of 2**-48."""
LARGEST = 1 << 17 + UNIT
"""The sum of an accumulator is below."""


def overflow(numbers: Iterable[int]) -> int:
    """The sign of the numbers beyond the range, or 0; negative if there are both signs."""
    signs = [-1 if one < 0 else 1 for one in numbers if not -LARGEST <= one < LARGEST]
    return min(signs, default=0)


def units(bits: int, more: int = 0) -> int:
    """A number in fp16 with `more` bits of mantissa, in units of 2**-(24 + more).

    Exponent 31 is an ordinary one.
    """
    field, mantissa = bits >> 10 + more & 31, bits & (1024 << more) - 1
    magnitude = mantissa + (1024 << more if field else 0) << max(field, 1) - 1
    return -magnitude if bits >> 15 + more & 1 else magnitude


def round_half(number: Fraction, lim: int) -> int:
    """fp16 of a number, rounded to nearest, ties to even; at most that of exponent 31 - lim."""
    magnitude, sign = abs(number), 0x8000 if number < 0 else 0
    exponent = -14
    while magnitude >= Fraction(2) ** (exponent + 1):
        exponent += 1
    units = round(magnitude / Fraction(2) ** (exponent - 10))
    bits = (exponent + 14 << 10) + units if units >= 1024 else units
    return sign | min(bits, (32 - lim << 10) - 1)


def convert(total: int, overflow: int, word: int, positive: bool) -> int:
    """The halfword of an accumulator; `overflow` is 0, or the sign of a sum that was too large."""
    bias, lim = units(word >> 11 & 0x1FFFFF, 5) << UNIT - 29, word >> 6 & 31
    scale = Fraction(2) ** (max(sext(word, 6), -31) - UNIT)
    number = Fraction(overflow * 2**60) if overflow else sext(total + bias, 18 + UNIT) * scale
    return 0 if positive and number < 0 else round_half(number, lim)
