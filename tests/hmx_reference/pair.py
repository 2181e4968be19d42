"""What a pair of an activation and a weight load multiplies: taps, blocks, groups, the stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .bits import sext
from .floats import products_of_a_step
from .spatial import CHANNELS, TILE, Spatial
from .weights import NARROW, PER_VECTOR, stream_limit

VECTOR = 128
FIXED_CHANNELS, FLOAT_CHANNELS = 2048, 1024
"""The most channels of a pair."""


@dataclass(frozen=True)
class Activation:
    kind: str  # "ub", "hf" or "f8"
    where: Spatial
    form: str  # "", "deep", "above", "single" or "dilate"

    @property
    def y_taps(self) -> range:
        last = self.where.y
        return {
            "": range(last + 1),
            "dilate": range(0, last + 1, 2),
            "above": range(last, self.where.height),
            "single": range(last, last + 1),
            "deep": range(1),
        }[self.form]


@dataclass(frozen=True)
class Weight:
    kind: str  # of PER_VECTOR
    form: str  # "", "deep", "after", "single", "drop" or "dilate"
    rs: int
    rt: int

    def x_taps(self, where: Spatial) -> range:
        last = where.x
        return {
            "": range(last + 1),
            "dilate": range(0, last + 1, 2),
            "after": range(last, where.width),
            "single": range(last, last + 1),
            "drop": range(last + 1),
            "deep": range(1),
        }[self.form]

    @property
    def address(self) -> int:
        return self.rs & ~(VECTOR - 1)

    @property
    def vectors(self) -> int:
        """The vectors of the stream."""
        if sext(self.rt, 32) < 0:
            return 0
        return min((self.rt | VECTOR - 1) + 1, stream_limit(self.kind)) // VECTOR


@dataclass(frozen=True)
class Step:
    """Channels that are multiplied together, with the first vector of their weights."""

    tile: int  # address of the activations
    y: int
    x: int
    other: bool  # weights of the other set
    channels: tuple[int, ...]
    weights: int  # the number in the stream of the first weight
    group: int  # channels of a group


def group_size(start: int, stop: int) -> int:
    """The channels of a group of a group convolution."""
    bits = ((stop - start) ^ start ^ stop) << 2 & 0xFF
    ones = 0
    while ones < 8 and bits >> (7 - ones) & 1:
        ones += 1
    return 32 >> ones


def _blocks(act: Activation, wide: bool, is_float: bool) -> list[tuple[int, int, int, int]]:
    """The address, the first and the last channel and the size of a group of each block."""
    where, start, stop = act.where, act.where.start, act.where.stop
    if act.form == "deep":
        last = min(where.next // TILE, (32 if is_float else 64) - 1)
        blocks = []
        for number in range(last + 1):
            first = start if number == 0 else 0
            end = stop if number == last else CHANNELS - 1
            if first & ~3 <= end | 3:
                blocks.append((where.base + number * TILE, first, end, CHANNELS))
    elif start > stop:
        size = group_size(start, stop)
        blocks = [(where.base, start % size, stop % size, size)]
    else:
        blocks = [(where.base, start, stop, CHANNELS)]
    return [
        (tile, 0, size - 1, size) if wide else (tile, a, z, size) for tile, a, z, size in blocks
    ]


def _channels(first: int, last: int, size: int, width: int) -> list[tuple[int, ...]]:
    """The channels of each step of at most `width` channels."""
    end, width = last | min(size, 4) - 1, min(size, width)
    return [
        tuple(range(at, min(at + width, end + 1)))
        for at in range(first & ~(width - 1), end + 1, width)
    ]


def steps(act: Activation, weight: Weight, arch: int) -> Iterator[Step]:
    """The steps of a pair, within its limits."""
    is_float = act.where.halves
    width = products_of_a_step(arch) if is_float else 4
    most = (FLOAT_CHANNELS if is_float else FIXED_CHANNELS) // width
    per, stream, count = PER_VECTOR[weight.kind], 0, 0
    for tile, first, last, size in _blocks(act, weight.kind in NARROW, is_float):
        for y in act.y_taps:
            for other in (False, True) if weight.form == "deep" else (False,):
                for x in weight.x_taps(act.where):
                    for channels in _channels(first, last, size, width):
                        if count < most and stream // per < weight.vectors:
                            yield Step(tile, y, x, other, channels, stream, size)
                        stream += len(channels)
                        count += 1
