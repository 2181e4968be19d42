"""The convert state: the results of converts, which stores write and feedback reads."""

from __future__ import annotations

from collections.abc import Iterator

from .spatial import CHANNELS, Spatial

POSITIONS = 64
Grid = list[list[int]]
"""By position and channel."""


def grid(value: int = 0) -> Grid:
    return [[value] * CHANNELS for _ in range(POSITIONS)]


def split(result: int) -> tuple[int, int]:
    """The cells of the low and of the high position of 20 bits."""
    return result & 0xFFF, result >> 8 & 0xFF0


def joined(low: int, high: int) -> int:
    return (high & 0xFF0) << 8 | low


def of_rows(results: list[list[int]]) -> Grid:
    """The cells of the 20 bits of rows."""
    new = grid()
    for row, values in enumerate(results):
        for channel, bits in enumerate(values):
            new[2 * row][channel], new[2 * row + 1][channel] = split(bits)
    return new


def targets(where: Spatial, columns: str) -> Iterator[tuple[int, int, int, bool]]:
    """The tile, the position in memory and in the result, and whether it is of the older state.

    `columns` is "after", "before" or "all".
    """
    for y in range(where.height):
        for x in range(where.width):
            older = x < where.x
            if columns != "all" and older != (columns == "before"):
                continue
            second = y < where.y
            row = y - where.y + (where.height if second else 0)
            column = x - where.x + (where.width if older else 0)
            base = where.base + (where.next if second else 0)
            at, source = where.position(x, y), where.position(column, row)
            for part in range(1 + where.halves):
                yield base, at + part, source + part, older
