"""The registers that an instruction of HVX reads, and their lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

BITS = {"sf": 32, "qf32": 32, "w": 32, "hf": 16, "qf16": 16, "bf": 16, "h": 16, "uh": 16}
BITS |= {"b": 8, "ub": 8}


class Inputs(NamedTuple):
    """Registers, as bytes: uu is the upper half of a pair, as xx; q is that of v, too."""

    u: bytes
    uu: bytes
    v: bytes
    x: bytes
    xx: bytes
    q: bytes
    r: int


def lanes(kind: str, data: bytes) -> list[int]:
    size = BITS[kind] // 8
    return [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]


def joined(kind: str, values: Sequence[int]) -> bytes:
    return b"".join(value.to_bytes(BITS[kind] // 8, "little") for value in values)
