"""Inputs for functions of numbers: edge cases, neighbours of them, and random bits."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable

NUMBERS = (
    *(0.0, 1.0, 2.0, 0.5, 1.5, 2.5, 3.0, 10.0, 100.0, math.pi, math.pi / 2, math.pi / 4, math.e),
    *(math.log(2), math.sqrt(2), math.sqrt(0.5), 1 / 3, 2 / 3, 0.1, 1e-8, 1e-20, 1e22, 1e300),
    # where exp(), sinh(), tgamma() and erfc() overflow or underflow, for double and float
    *(709.782712893384, 745.1332191019412, 708.3964185322641, 710.4758600739439, 1024.0, 1075.0),
    *(88.72283905206835, 103.97207708399179, 87.33654475055310, 128.0, 149.0, 150.0, 36.7, 17.3),
    *(171.62437695630272, 35.04010009765625, 26.543258430632065, 10.0544, 308.2547, 38.5318),
    # the largest and smallest numbers
    *(2.0**-1074, 2.0**-1022, 2.0**1023, float.fromhex("0x1.fffffffffffffp+1023")),
    *(2.0**-149, 2.0**-126, 2.0**127, float.fromhex("0x1.fffffep+127"), 65504.0, 65520.0, 2.0**-24),
    *(2.0**23, 2.0**24, 2.0**31, 2.0**32, 2.0**52, 2.0**53, 2.0**63, 2.0**64, 2.0**127, 2.0**128),
)
EXPONENTS = (
    0,
    1,
    -1,
    5,
    23,
    24,
    52,
    53,
    127,
    128,
    -126,
    -149,
    1023,
    1024,
    -1022,
    -1074,
    2098,
    -2098,
)


class Layout:
    """A format of floats: its `code` for struct, and the number of bits of its fraction."""

    def __init__(self, code: str, integer: str, fraction: int, exponent: int) -> None:
        self.code, self.integer = code, integer
        self.fraction, self.exponent = fraction, exponent

    def bits(self, value: float) -> int:
        try:
            data = struct.pack(f"<{self.code}", value)
        except OverflowError:
            data = struct.pack(f"<{self.code}", math.copysign(math.inf, value))
        bits: int = struct.unpack(f"<{self.integer}", data)[0]
        return bits

    def value(self, bits: int) -> float:
        value: float = struct.unpack(f"<{self.code}", struct.pack(f"<{self.integer}", bits))[0]
        return value

    def quiet(self, bits: int) -> int:
        """NaN without a signal, other numbers as they are."""
        return bits | 1 << (self.fraction - 1) if self.value(bits) != self.value(bits) else bits


DOUBLE, SINGLE = Layout("d", "Q", 52, 11), Layout("f", "I", 23, 8)


class Inputs:
    """Random numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def real(self, layout: Layout) -> int:
        """The bits of one number."""
        choose = self.random
        width = layout.fraction + layout.exponent + 1
        sign = choose.getrandbits(1) << (width - 1)
        way = choose.randrange(12)
        if way < 3:
            return layout.quiet(choose.getrandbits(width))
        if way < 5:  # near 1
            bias = (1 << (layout.exponent - 1)) - 1 + choose.randrange(-12, 12)
            return sign | bias << layout.fraction | choose.getrandbits(layout.fraction)
        if way < 6:  # subnormal, of any magnitude
            return sign | choose.getrandbits(choose.randrange(1, layout.fraction + 1))
        if way < 7:
            special = (0.0, math.inf, math.nan, 1.0)
            return layout.quiet(sign ^ layout.bits(choose.choice(special)))
        if way < 8:  # half an integer, and what is next to it
            value = choose.randrange(1 << choose.randrange(1, layout.fraction + 1)) + 0.5
        elif way < 9:  # a multiple of pi/2, up to the largest numbers
            value = math.ldexp(choose.random(), choose.randrange(1, 1 << (layout.exponent - 1)))
            value = math.pi / 2 * round(value) if value < 1e300 else value
        elif way < 10:
            value = float(choose.randrange(1, 300))
        else:
            value = choose.choice(NUMBERS)
        bits = layout.bits(value) + choose.choice((0, 0, 1, -1, 2, -2, choose.randrange(-999, 999)))
        return layout.quiet(sign ^ (abs(bits) & ((1 << (width - 1)) - 1)))

    def integer(self, width: int) -> int:
        """The bits of an integer, of any magnitude."""
        value = self.random.getrandbits(self.random.randrange(1, width + 1))
        value += self.random.choice((0, 0, -1, 1))
        return (value if self.random.getrandbits(1) else -value) & ((1 << width) - 1)

    def power(self) -> int:
        """An integer for ldexp() and the like."""
        if self.random.getrandbits(3) == 0:
            return self.integer(32)
        value = self.random.choice(EXPONENTS) + self.random.randrange(-60, 60)
        return value & 0xFFFFFFFF

    def related(self, layout: Layout, other: int) -> int:
        """A number near `other`, or of which `other` is nearly a multiple."""
        way = self.random.randrange(4)
        if way == 0:
            bits = abs(other + self.random.randrange(-3, 4)) & ~(
                -1 << (layout.fraction + layout.exponent + 1)
            )
        elif way == 1:
            bits = layout.bits(layout.value(other) / self.random.randrange(1, 1 << 20))
        elif way == 2:
            bits = layout.bits(layout.value(other) * (self.random.randrange(1 << 12) + 0.5))
        else:
            bits = other ^ self.random.getrandbits(layout.fraction + layout.exponent + 1 - 8)
        return layout.quiet(bits)

    def addend(self, layout: Layout, a: int, b: int) -> int:
        """A number near the product of two, or half a place of it away."""
        product = layout.value(a) * layout.value(b)
        scale = self.random.choice(
            (-1.0, -1.0, 1.0, 0.5, 2.0**-24, 2.0**-53, 2.0**24, 2.0**53, 2.0**-107)
        )
        return layout.quiet(layout.bits(-product * scale) ^ self.random.getrandbits(2))

    def line(self, arguments: str) -> tuple[int, int, int]:
        """The words of one call; `arguments` has a letter for each: see calls.h."""
        words: list[int] = []
        for letter in arguments:
            layout = DOUBLE if letter == "D" else SINGLE
            if (
                letter in "DF"
                and arguments.startswith(letter)
                and words
                and self.random.getrandbits(2) == 0
            ):
                more = len(words) == 2
                words.append(
                    self.addend(layout, *words) if more else self.related(layout, words[0])
                )
            elif letter in "DF":
                words.append(self.real(layout))
            elif arguments == "WD":  # the order of jn() and yn()
                words.append(self.random.randrange(-40, 40) & 0xFFFFFFFF)
            elif letter == "W" and arguments in {"DW", "FW"}:
                words.append(self.power())
            elif letter == "T":
                words += [self.integer(64), self.integer(64) if self.random.getrandbits(1) else 0]
            else:
                words.append(self.integer(64 if letter == "L" else 32))
        a, b, c, *_ = *words, 0, 0
        return a, b, c

    def data(self, arguments: str, count: int) -> bytes:
        lines = (self.line(arguments) for _ in range(count))
        return b"".join(struct.pack("<3Q", *line) for line in lines)


Make = Callable[[str, int], bytes]
