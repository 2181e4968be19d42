"""The weights of one vector of 128 bytes, in each type."""

from __future__ import annotations

from .bits import sext

PER_VECTOR = {
    **{"b": 4, "sm": 4, "n": 8, "c": 16, "sc": 16, "ubit": 32, "sbit": 32},
    **{"hf": 2, "f8": 4, "n:2x": 4},
}
"""Input channels of a vector."""
BITS = {**dict.fromkeys(("b", "sm", "hf", "f8", "n:2x"), 8), "n": 4, "c": 2, "sc": 2}
NARROW = frozenset({"n", "c", "sc", "ubit", "sbit"})
"""Types that always use a whole tile of channels."""
NAN = 0x7E00
"""The only NaN of `f8` in fp16, without its sign."""
_CODES = {"c": (0, 1, -2, -1), "sc": (2, 1, -2, -1)}


def stream_limit(kind: str) -> int:
    """The most bytes of weights that one pair uses."""
    return 65536 * BITS.get(kind, 1) // 8


def fixed(kind: str, vector: bytes, channel: int, output: int) -> int:
    """The weight of input channel `channel` of a vector; `n:2x` has outputs 0 to 63."""
    four = vector[4 * (output % 32) :]
    byte = four[channel % 4]
    match kind:
        case "b":
            return sext(byte, 8)
        case "sm":
            return byte if byte < 128 else 127 - byte
        case "n":
            return sext(byte >> 4 * (channel // 4), 4)
        case "n:2x":
            return sext(byte >> 4 * (output // 32), 4)
        case "c" | "sc":
            return _CODES[kind][byte >> 2 * (channel // 4) & 3]
        case "ubit":
            return byte >> channel // 4 & 1
        case "sbit":
            return 1 - 2 * (byte >> channel // 4 & 1)
    raise ValueError(kind)


def split(weight: int) -> tuple[int, int]:
    """The factors of the two words of an accumulator."""
    low = sext(weight, 4)
    return low, (weight - low) >> 4


def half(kind: str, vector: bytes, channel: int, output: int) -> int:
    """The bits of a weight in fp16 of `hf` and `f8`."""
    four = vector[4 * output : 4 * output + 4]
    if kind == "hf":
        return int.from_bytes(four[2 * channel : 2 * channel + 2], "little")
    return widened(four[(0, 2, 1, 3)[channel]])


def widened(byte: int) -> int:
    """An 8-bit float in fp16, with its NaN."""
    return 0x8000 | NAN if byte == 0x80 else (byte & 0x80) << 8 | (byte & 0x7F) << 7
