"""Random contents of VTCM for programs of HMX: activations, weights, and the words of channels."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from random import Random

from tests.hmx_reference.spatial import TILE

ACTIVATIONS, WEIGHTS, WORDS, OUTPUTS, TILES = 2 * TILE, 8 * TILE, 20 * TILE, 22 * TILE, 40
"""Where things are; before and behind activations and results there is a tile more."""
READ_OUT = [(24 - 8 * byte) << 10 for byte in range(4)]
"""Words with which four converts read the four bytes of an accumulator, the lowest first."""


class Images:
    """Makes images for an arch."""

    def __init__(self, arch: int, random: Random) -> None:
        self.arch, self.random = arch, random

    def whole(self, is_float: bool) -> bytes:
        """The image before a program: numbers of one half of HMX, and the words."""
        image = bytearray(self.random.randbytes(TILES * TILE))
        if is_float:
            for start, end in ((0, WEIGHTS), (WEIGHTS, WORDS)):
                image[start:end] = self._halves((end - start) // 2)
            image[WORDS : WORDS + 9 * 256] = self._float_words()
        else:
            self._flatten(image)
            image[WORDS : WORDS + 8 * 256] = self._fixed_words()
        image[WORDS + 9 * 256 : WORDS + 11 * 256] = b"".join(
            struct.pack("<I", word) * 32 for word in READ_OUT
        )
        return bytes(image)

    def _flatten(self, image: bytearray) -> None:
        """Sometimes few different values, among them the extremes."""
        if self.random.random() < 0.4:
            values = self.random.choices((0, 0, 1, 127, 128, 255, self.random.randrange(256)), k=4)
            image[:WORDS] = bytes(self.random.choices(values, k=WORDS))

    def _halves(self, count: int) -> bytes:
        """Halves of one of several distributions."""
        kind = self.random.randrange(5)
        if kind == 0 and self.arch >= 73:  # all patterns
            return self.random.randbytes(2 * count)
        low, high = ((13, 16), (1, 30), (0, 2), (10, 20))[kind - 1]
        if self.arch < 73:  # sums that do not overflow
            low, high = ((13, 16), (0, 16))[kind % 2]
        zero = self.random.choice((0, 0, 0.5, 0.95))
        halves = [
            0
            if self.random.random() < zero
            else self.random.randrange(2) << 15
            | self.random.randint(low, high) << 10
            | self.random.randrange(1024)
            for _ in range(count)
        ]
        return struct.pack(f"<{count}H", *halves)

    def _float_words(self) -> bytes:
        """Words of scale, output bias and accumulator bias; the last set is the identity."""
        words = b""
        for _ in range(8):
            bits = [self.random.getrandbits(64) for _ in range(32)]
            if self.random.random() < 0.7:  # scales near 1, small biases, no shape
                bits = [
                    0x3800 + (word & 0x8FFF)
                    | self._small() << 16
                    | (word >> 32 & 0xFF) << 32
                    | self._small() << 48
                    for word in bits
                ]
            words += _pack(bits)
        one = 0x3C00 if self.arch >= 73 else 0
        return words + _pack([one] * 32)

    def _small(self) -> int:
        """Half of the time 0, else an fp16."""
        return self.random.randrange(0x5000) if self.random.random() < 0.5 else 0

    def _fixed_words(self) -> bytes:
        words = b""
        for _ in range(8):
            bits = [self.random.getrandbits(64) for _ in range(32)]
            if self.random.random() < 0.7:  # linear, with an exponent that fits
                exponent = self.random.randrange(4, 18)
                bits = [
                    word & 0xFFFF_7FF8_03FF
                    | exponent << 10
                    | (self.random.choice((0, word >> 44)) & 0xFFFFF) << 32
                    for word in bits
                ]
            words += _pack(bits)
        return words


def _pack(words: Sequence[int]) -> bytes:
    low = struct.pack("<32I", *(word & 0xFFFFFFFF for word in words))
    return low + struct.pack("<32I", *(word >> 32 & 0xFFFFFFFF for word in words))
