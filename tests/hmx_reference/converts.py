"""What converts put into the convert state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import cells, fixed_convert, float_convert, old_float
from .bits import sext
from .fixed_convert import UB, UH, How, Word
from .spatial import CHANNELS

if TYPE_CHECKING:
    from .machine import Machine

FEEDBACK, HIGH_BYTE = 0xC, 1 << 11
"""Bits of Rs."""


def of_ub(machine: Machine, half: str, rs: int, words: Sequence[Word], how: How) -> cells.Grid:
    """`ub` of both words of each accumulator, or with `half` ":sc0" or ":sc1" of one of them."""
    result = cells.grid()
    for s in range(cells.POSITIONS):
        for o, word in enumerate(words):
            if half:
                a = sext(machine.fixed[0][half == ":sc1"][s][o] * 16, 32) + (word.bias & ~15)
            else:
                a = machine.value(s, o) + word.bias
            scale, bias = _chosen(rs, word.scale, word.output_bias, machine.last_fixed[s][o], 1)
            if machine.old:
                result[s][o] = fixed_convert.of_v68(a, word, UB, how.saturate)
            else:
                result[s][o] = fixed_convert.to_ub(a, word, how, scale, bias)
    return result


def of_uh_2x1(machine: Machine, words: Sequence[Word], how: How) -> cells.Grid:
    result = cells.grid()
    for s in range(0, cells.POSITIONS, 2):
        for o, word in enumerate(words):
            a = machine.value(s + 1, o) + (machine.value(s, o) >> 8) + word.bias
            if machine.old:
                v = fixed_convert.of_v68(a, word, UH, how.saturate)
            else:
                v = fixed_convert.to_uh(a, word, how)
            result[s][o], result[s + 1][o] = cells.split(v >> 4)
    return result


def of_uh_2x2(machine: Machine, rs: int, words: Sequence[Word], how: How) -> cells.Grid:
    variant = rs >> 9 & 3 if how.jam else 3
    last = machine.last_fixed
    result = [row[:] for row in last] if rs & FEEDBACK else cells.grid()
    for s in range(0, cells.POSITIONS, 2):
        for o in range(0, CHANNELS, 2):
            even, odd, to = words[o], words[o + 1], o if variant == 2 else o + 1
            a = (_wide_sum(machine, s, o, variant) >> 16) + even.bias
            scale, bias = _chosen(
                rs,
                fixed_convert.scale_2x2(even, odd),
                fixed_convert.bias_2x2(even, odd),
                cells.joined(last[s][to], last[s + 1][to]),
                4,
            )
            if machine.old:
                v = fixed_convert.of_v69(a, even, odd, how.saturate)
            else:
                v = fixed_convert.to_uh_2x2(a, even, how, scale, bias)
            result[s][to], result[s + 1][to] = cells.split(v >> 4)
    return result


def _wide_sum(machine: Machine, s: int, o: int, variant: int) -> int:
    ll, hl = machine.value(s, o), machine.value(s + 1, o)
    lh, hh = machine.value(s, o + 1), machine.value(s + 1, o + 1)
    if variant == 2:
        lh, hh = ll, hl
    if variant != 3:
        ll = hl = 0
    return ll + 256 * (lh + hl) + 65536 * hh


def _chosen(rs: int, scale: int, bias: int, cell: int, factor: int) -> tuple[int, int]:
    """Scale and output bias with feedback."""
    choose = max if rs & 16 else min
    match rs >> 2 & 3:
        case 1:
            return scale, choose(bias, cell)
        case 2:
            return choose(scale, factor * cell), bias
    return scale, bias


def of_float(machine: Machine, rs: int, words: Sequence[int], *, small: bool) -> cells.Grid:
    """The 20 bits of each row and channel, with `small` one byte of them new."""
    if machine.arch < 81:
        rs &= ~float_convert.BRAIN
    mode = float_convert.Mode(rs, machine.arithmetic.infinities, machine.nan, small)
    result = [[0] * CHANNELS for _ in range(cells.POSITIONS // 2)]
    for row, results in enumerate(result):
        for o, word in enumerate(words):
            acc = machine.floats[0][row][o]
            if machine.old:
                bits = old_float.convert(acc, machine.overflow[0][row][o], word, not rs & 2)
                results[o] = bits << 4
            else:
                last = machine.last_float[row][o]
                bits = float_convert.convert(acc, word, mode, _fed_back(rs, word, last))
                results[o] = _with_byte(last, bits, rs) if small else bits
    return result


def _with_byte(last: int, byte: int, rs: int) -> int:
    return last & 0xFFF | byte << 12 if rs & HIGH_BYTE else last & 0xFF000 | byte << 4


def _fed_back(rs: int, word: int, last: int) -> tuple[int, int] | None:
    target = rs >> 2 & 3
    if target not in {1, 2}:
        return None
    mine = (word & 0xFFFF) << 4 | word >> 32 & 15
    if target == 1:
        mine = (word >> 16 & 0xFFFF) << 4 | word >> 36 & 15
    return target, (max if rs & 16 else min)(mine, last, key=float_convert.as_number)
