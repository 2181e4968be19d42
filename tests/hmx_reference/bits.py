"""Operations on bits that docs/hmx.md names."""

from __future__ import annotations


def sext(value: int, bits: int) -> int:
    """The low `bits` bits as a two's complement number."""
    half = 1 << bits - 1
    return (value + half & 2 * half - 1) - half


def pext(value: int, mask: int) -> int:
    """The bits of `value` where `mask` has a 1, moved together to the right."""
    result = place = 0
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            result |= (value >> bit & 1) << place
            place += 1
    return result


def pdep(value: int, mask: int) -> int:
    """The opposite of `pext`."""
    result = place = 0
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            result |= (value >> place & 1) << bit
            place += 1
    return result


def sticky(value: int, shift: int) -> int:
    """`value` shifted right, with the lowest bit set if one that is shifted out is."""
    shift = min(shift, 63)
    return value >> shift | bool(value & ((1 << shift) - 1))
