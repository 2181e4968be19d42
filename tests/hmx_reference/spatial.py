"""The spatial fields of Rs and Rt, which activation loads and stores have in common."""

from __future__ import annotations

from dataclasses import dataclass

from .bits import pdep, pext, sext

TILE = 2048
CHANNELS = 32
CHANNEL_MAJOR, SPATIAL_MAJOR = 0x7E0, 0x783


def place(position: int, channel: int, channel_major: bool = False) -> int:
    """The byte of a position and a channel in a tile."""
    if channel_major:
        return 32 * position + channel
    return 128 * (position // 4) + 4 * channel + position % 4


@dataclass(frozen=True)
class Spatial:
    """The fields of one load or store.  With `halves` a position is a row: two bytes."""

    rs: int
    rt: int
    channel_major: bool
    halves: bool

    @property
    def mask(self) -> int:
        return CHANNEL_MAJOR if self.channel_major else SPATIAL_MAJOR

    @property
    def ymask(self) -> int:
        return self.rt & self.mask & ~self.halves

    @property
    def xmask(self) -> int:
        return ~self.rt & self.mask & ~self.halves

    @property
    def width(self) -> int:
        return 1 << self.xmask.bit_count()

    @property
    def height(self) -> int:
        return 1 << self.ymask.bit_count()

    @property
    def x(self) -> int:
        return pext(self.rs, self.xmask)

    @property
    def y(self) -> int:
        return pext(self.rs, self.ymask)

    @property
    def base(self) -> int:
        return self.rs & ~(TILE - 1)

    @property
    def next(self) -> int:
        """The distance of the second tile."""
        return sext(self.rt, 32) & ~(TILE - 1)

    @property
    def start(self) -> int:
        return self.rs >> (0 if self.channel_major else 2) & 31

    @property
    def stop(self) -> int:
        return self.rt >> (0 if self.channel_major else 2) & 31

    def position(self, x: int, y: int) -> int:
        """The position at (x, y); of halves that of their low byte."""
        return pext(pdep(x, self.xmask) | pdep(y, self.ymask), self.mask)
