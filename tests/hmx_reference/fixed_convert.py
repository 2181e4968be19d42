"""The convert of fixed point: an accumulator and the word of a channel to 12 or 24 bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .bits import sext

UB, UH = 12, 24
"""Bits of a result, and of the fraction of step 2."""


@dataclass(frozen=True)
class Word:
    """The 64-bit word of an output channel."""

    bits: int

    @cached_property
    def bias(self) -> int:
        return sext(self.bits >> 32, 32)

    @cached_property
    def scale(self) -> int:
        """In units of 1/2048."""
        return (0 if self.tiny else 2048) + 2 * (self.bits & 1023) + (self.bits >> 31 & 1)

    @cached_property
    def tiny(self) -> int:
        return self.bits >> 16 & 1

    @cached_property
    def exponent(self) -> int:
        return self.bits >> 10 & 31

    @cached_property
    def output_bias(self) -> int:
        """In units of 1/16."""
        return self.bits >> 19 & 0xFFF

    @cached_property
    def rounding(self) -> int:
        return self.bits >> 22 & 1

    @cached_property
    def shape(self) -> int:
        return self.bits >> 17 & 3 | (self.bits >> 15 & 1) << 2


@dataclass(frozen=True)
class How:
    """`jam` of `cvt`, and whether the result is limited."""

    jam: bool
    saturate: bool


def fraction(a: int, word: Word, f: int, jam: bool) -> int:
    """Steps 2 to 5: n."""
    t = sext(a << word.exponent, 64) >> (32 - f)
    top = 1 << f + 1
    if a >= 0:
        t = t % top + (top if t >= top else 0)
    elif t < -top:
        t = t % top - 2 * top
    n = 2 * t
    if jam and n:
        n |= 1
    return _shaped(n, a, word.shape) if word.shape else n


def _shaped(n: int, a: int, shape: int) -> int:
    inverse = ~(n & ~1)
    match shape:
        case 1:
            return min(n, 0)
        case 2:
            return max(n, 0)
        case 3:
            return n if n > 0 else inverse if n < 0 else 0
        case 4:
            return inverse if a else 0
        case 5:
            return inverse if a < 0 else 0
        case 6:
            return inverse if a > 0 else 0
        case 7:
            return (inverse if n >= 0 else n) if a else 0
    return n


def limit(value: int, bits: int, saturate: bool) -> int:
    most = (1 << bits) - 1
    return max(0, min(value, most)) if saturate else value & most


def to_ub(a: int, word: Word, how: How, scale: int, bias: int) -> int:
    """12 bits, with the scale and the output bias that feedback chose."""
    return limit(bias + (scale * fraction(a, word, UB, how.jam) >> 12), UB, how.saturate)


def to_uh(a: int, word: Word, how: How) -> int:
    """24 bits of `uh:2x1`."""
    value = (word.scale * fraction(a, word, UH, how.jam) >> 12) + 128 * word.rounding
    return limit(value, UH, how.saturate)


def of_v68(a: int, word: Word, f: int, saturate: bool) -> int:
    """12 or 24 bits as v68 converts: 8 or 16 bits, and zeros."""
    bits = 8 if f == UB else 16
    t = sext(a << word.exponent, 64) >> (32 - f)
    if not saturate:
        t %= 1 << f
    half = word.rounding << (f + 9 - bits)
    value = t * (1024 + (word.bits & 1023)) + half >> (f + 10 - bits)
    return limit(value, bits, saturate) << f - bits


def of_v69(a: int, even: Word, odd: Word, saturate: bool) -> int:
    """24 bits of `uh:2x2` as v69 converts: 16 bits, and zeros."""
    t = sext(a << even.exponent, 64) >> (32 - UH)
    if not saturate:
        t %= 1 << UH
    scale = (1 << 20) + 1024 * (odd.bits & 1023) + (even.bits & 1023)
    return limit(t * scale + (even.rounding << 27) >> 28, 16, saturate) << 8


def scale_2x2(even: Word, odd: Word) -> int:
    return ((0 if odd.tiny else 1024) + (odd.bits & 1023)) * 2048 + (
        2 * (even.bits & 1023) + (even.bits >> 31 & 1)
    )


def bias_2x2(even: Word, odd: Word) -> int:
    return (odd.bits >> 23 & 0xFF) * 4096 + even.output_bias


def to_uh_2x2(a: int, word: Word, how: How, scale: int, bias: int) -> int:
    """24 bits of `uh:2x2`."""
    return limit((scale * fraction(a, word, UH, how.jam) >> 22) + 16 * bias, UH, how.saturate)
