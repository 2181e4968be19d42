"""Operands, products and the accumulator of float, v73 and newer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .bits import sext, sticky

FINITE, PLUS, MINUS, NAN = 0, 1, 2, 3
LEAST_PRODUCT = -256


@dataclass(frozen=True)
class Number:
    """The value is `sig * 2**(exp - F)`, with an F that depends on the place."""

    sig: int
    exp: int
    inf: int = FINITE

    @property
    def negative(self) -> bool:
        return self.inf == MINUS if self.inf else self.sig < 0


ZERO = Number(0, LEAST_PRODUCT)


def operand(bits: int, infinities: bool, brain: bool = False) -> Number:
    """A number of fp16, or of bf16."""
    negative, field = bits >> 15, (bits >> 7 & 0xFF) if brain else (bits >> 10 & 31)
    mantissa = (bits & 127) << 3 if brain else bits & 1023
    if infinities and field == (255 if brain else 31):
        return Number(0, LEAST_PRODUCT, NAN if mantissa else MINUS if negative else PLUS)
    magnitude, exp = mantissa + 1024, field - (128 if brain else 16)
    if field == 0:
        magnitude, exp = mantissa, -127 if brain else -15
        while magnitude and magnitude < 1024 and not brain:
            magnitude, exp = magnitude * 2, exp - 1
    return Number(-magnitude if negative else magnitude, exp if magnitude else LEAST_PRODUCT)


def multiply(a: Number, b: Number) -> Number:
    """The product, with the sum of both F."""
    if a.inf or b.inf:
        if NAN in {a.inf, b.inf} or (not a.inf and not a.sig) or (not b.inf and not b.sig):
            return Number(0, LEAST_PRODUCT, NAN)
        return Number(0, LEAST_PRODUCT, MINUS if a.negative != b.negative else PLUS)
    if a.sig == 0 or b.sig == 0:
        return ZERO
    return Number(a.sig * b.sig, a.exp + b.exp)


def products_of_a_step(arch: int) -> int:
    """How many products are added to an accumulator at a time."""
    return 4 if arch <= 73 else 8


@dataclass(frozen=True)
class Arithmetic:
    """What differs between archs and modes."""

    arch: int
    infinities: bool = False

    @property
    def exponent_bits(self) -> int:
        return 9 if self.arch >= 81 else 7

    @property
    def least(self) -> int:
        return -(1 << self.exponent_bits - 1)

    @property
    def bits(self) -> int:
        """Bits in which the normalisation looks for the highest one."""
        return 29 if self.arch == 73 else 30

    def zero(self) -> Number:
        """A cleared accumulator."""
        return Number(0, self.least)

    def add(self, acc: Number, a: Sequence[Number], w: Sequence[Number]) -> Number:
        """The accumulator after one step; missing channels are zeros."""
        if not self.infinities and (
            not any(one.sig or one.inf for one in a) or not any(one.sig or one.inf for one in w)
        ):
            return acc
        products = [multiply(x, y) for x, y in zip(a, w, strict=True)]
        inf = acc.inf
        for product in products:
            inf |= product.inf
        e1 = max(self.least, *(product.exp for product in products))
        s = sum(sticky(16 * product.sig, e1 - product.exp) for product in products)
        e2 = max(acc.exp, e1)
        total, places = sticky(acc.sig, e2 - acc.exp), sticky(s, e2 - e1)
        n = min(_normalisation(total, places, self.bits), 3, e2 + 1 - self.least)
        sig, exp = sext(sticky(total + places, 1) << n, 30), e2 + 1 - n
        if exp > -self.least - 1:
            inf |= MINUS if total + places < 0 else PLUS
            exp = -self.least - 1
        return Number(sig, exp, inf)


def _normalisation(a: int, b: int, bits: int) -> int:
    """How far the sum of a and b can be shifted left, as the unit anticipates it."""
    p, g, z = a ^ b, a & b, ~(a | b)
    mask = (1 << bits) - 1
    n0, n1 = (bits - ((p ^ ~(f << 1)) & mask).bit_length() for f in (z, g))
    if a >= 0 and b >= 0:
        return n0
    return n1 if a < 0 and b < 0 else max(n0, n1)
