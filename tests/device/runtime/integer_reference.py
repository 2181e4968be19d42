"""What instructions of HVX for integers compute that some QEMU lacks.

The terms of v6mpy are those that QEMU 10.0 has, found with one byte and one coefficient at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .float_reference import INTEGERS
from .operands import Inputs, joined, lanes

V6MPY = {
    "h0": ([(3, 6), (4, 4), (5, 2)], [(0, 6), (1, 4), (2, 2), (3, 7), (4, 5), (5, 3)]),
    "h1": ([(0, 6), (1, 4), (2, 2), (3, 7), (4, 5), (5, 3)], [(0, 7), (1, 5), (2, 3)]),
    "h2": ([(3, 4), (4, 2), (5, 0)], [(0, 4), (1, 2), (2, 0), (3, 5), (4, 3), (5, 1)]),
    "h3": ([(0, 4), (1, 2), (2, 0), (3, 5), (4, 3), (5, 1)], [(0, 5), (1, 3), (2, 1)]),
    "v0": ([(3, 1), (4, 4), (5, 5)], [(0, 1), (1, 4), (2, 5), (3, 3), (4, 6), (5, 7)]),
    "v1": ([(0, 1), (1, 4), (2, 5), (3, 3), (4, 6), (5, 7)], [(0, 3), (1, 6), (2, 7)]),
    "v2": ([(3, 0), (4, 1), (5, 4)], [(0, 0), (1, 1), (2, 4), (3, 2), (4, 3), (5, 6)]),
    "v3": ([(0, 0), (1, 1), (2, 4), (3, 2), (4, 3), (5, 6)], [(0, 2), (1, 3), (2, 6)]),
}
"""Of the lower and the upper vector: coefficients 0 to 5 and bytes 0 to 7 of a word of a pair."""


def integer_result(syntax: str, inputs: Inputs) -> bytes | None:
    """What the instruction writes: a vector or a pair.  None if it is not one of these."""
    if match := re.fullmatch(r"Vd\.(u\w)=vasr\(Vuu\.(\w+),Vv\.u\w\)(:rnd)?:sat", syntax):
        return _shifted(inputs, match[1], match[2], rounded=match[3] is not None)
    if syntax == "Vd.uh=vmpy(Vu.uh,Vv.uh):>>16":
        both = zip(lanes("uh", inputs.u), lanes("uh", inputs.v), strict=True)
        return joined("uh", [u * v >> 16 for u, v in both])
    if syntax == "Vd=valign4(Vu,Vv,Rt)":
        both = zip(lanes("w", inputs.u), lanes("w", inputs.v), strict=True)
        bits = 8 * (inputs.r & 3)
        return joined("w", [(u << 32 | v) >> 32 - bits & 0xFFFFFFFF for u, v in both])
    if match := re.fullmatch(r"V..\.w(\+?)=v6mpy\(Vuu.ub,Vvv.b,#(.)\):(.)", syntax):
        before = inputs.x + inputs.xx if match[1] else bytes(256)
        return _v6mpy(inputs, V6MPY[match[3] + match[2]], before)
    return None


def _shifted(inputs: Inputs, to: str, of: str, *, rounded: bool) -> bytes:
    size = 1 if to == "ub" else 2
    shifts = inputs.v if size == 1 else lanes("uh", inputs.v)
    sources = zip(lanes(of, inputs.u), lanes(of, inputs.uu), strict=True)
    results = []
    for source, shift in zip((x for pair in sources for x in pair), shifts, strict=True):
        number = source - (1 << 32) if of == "w" and source >> 31 else source
        bits = shift & (8 * size - 1)
        number = number + (1 << bits >> 1 if rounded else 0) >> bits
        results.append(min(max(number, 0), INTEGERS[to][1]))
    return joined(to, results)


def _v6mpy(inputs: Inputs, terms: Sequence[Sequence[tuple[int, int]]], before: bytes) -> bytes:
    results = lanes("w", before)
    for word in range(32):
        at = slice(4 * word, 4 * word + 4)
        numbers = inputs.u[at] + inputs.uu[at]
        coefficients = [
            _coefficient(vector[at], n) for vector in (inputs.v, inputs.q) for n in range(3)
        ]
        for half, list_ in enumerate(terms):
            results[32 * half + word] += sum(coefficients[c] * numbers[n] for c, n in list_)
    return joined("w", [result & 0xFFFFFFFF for result in results])


def _coefficient(word: bytes, n: int) -> int:
    bits = (word[3] >> 2 * n & 3) << 8 | word[n]
    return bits - 1024 if bits >> 9 else bits
