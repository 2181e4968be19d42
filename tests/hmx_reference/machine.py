"""The state of HMX, and what each instruction does to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import cells, converts
from .bits import sext
from .fixed_convert import How, Word
from .floats import Arithmetic
from .forms import Instruction
from .pair import Activation, Weight
from .products import WORD, multiply
from .spatial import CHANNELS, Spatial, place

ROWS = 32


class Machine:
    """HMX of one arch, on `memory`, whose first byte has the address 0."""

    def __init__(
        self, arch: int, memory: bytearray, *, infinities: bool = False, nan: bool = False
    ) -> None:
        self.arch, self.memory = arch, memory
        self.arithmetic = Arithmetic(arch, infinities)
        self.nan = nan  # bit 21 of USR
        self.bias = [[0] * CHANNELS for _ in range(4)]
        self.states = [cells.grid() for _ in range(3)]  # of converts, the newest first
        self.last_fixed = cells.grid()
        self.last_float = [[0] * CHANNELS for _ in range(ROWS)]
        # Each has the current set first: two words, or numbers, and the sign of an overflow.
        self.fixed = [self._fixed(), self._fixed()]
        self.floats = [self._floats(), self._floats()]
        self.overflow = [cells.grid(), cells.grid()]

    @property
    def old(self) -> bool:
        """Whether float is that of v68 and v69."""
        return self.arch < 73

    @staticmethod
    def _fixed() -> tuple[cells.Grid, cells.Grid]:
        return cells.grid(), cells.grid()

    def _floats(self) -> list[list[Any]]:
        zero = 0 if self.old else self.arithmetic.zero()
        return [[zero] * CHANNELS for _ in range(ROWS)]

    def value(self, position: int, channel: int) -> int:
        """V of an accumulator."""
        low, high = (word[position][channel] for word in self.fixed[0])
        return sext(high * 16, 32) + sext(low, 32)

    def swap(self, is_float: bool) -> None:
        if is_float:
            self.floats.reverse()
            self.overflow.reverse()
        else:
            self.fixed.reverse()

    def finish(self, is_float: bool) -> None:
        """Clears the current set and makes the other one current."""
        if is_float:
            self.floats[0], self.overflow[0] = self._floats(), cells.grid()
        else:
            self.fixed[0] = self._fixed()
        self.swap(is_float)

    def clear(self, is_float: bool) -> None:
        self.finish(is_float)
        self.finish(is_float)

    def shift_left(self) -> None:
        for word in self.fixed[0]:
            for row in word:
                row[:] = [value << 16 & WORD for value in row]

    def _set(self, number: int) -> list[int]:
        return self.bias[number & 3 if self.arch >= 75 else 0]

    def load_bias(self, rs: int, double: bool) -> None:
        base = rs & ~(255 if double else 127)
        for channel in range(CHANNELS):
            low, high = (self._word(base + 128 * part + 4 * channel) for part in (0, 1))
            self._set(rs)[channel] = low | (high << 32 if double else 0)

    def _word(self, at: int) -> int:
        return int.from_bytes(self.memory[at : at + 4], "little")

    def store_bias(self, rs: int, double: bool) -> None:
        base = rs & ~(255 if double else 127)
        for part in range(1 + double):
            for channel, word in enumerate(self._set(rs)):
                at = base + 128 * part + 4 * channel
                self.memory[at : at + 4] = (word >> 32 * part & WORD).to_bytes(4, "little")

    def convert(self, kind: str, rs: int, *, direct: bool) -> None:
        """A convert into the convert state; `kind` is for example ub, ub:sc0, uh:2x1, hf or f8."""
        bits = self._set(0 if direct else rs >> 12)
        is_float = kind in {"hf", "f8"}
        if is_float:
            self.last_float = converts.of_float(self, rs, bits, small=kind == "f8")
            new = cells.of_rows(self.last_float)
        else:
            words = [Word(word) for word in bits]
            how = How(jam=not direct, saturate=not rs & 2)
            if kind == "uh:2x1":
                new = converts.of_uh_2x1(self, words, how)
            elif kind == "uh:2x2":
                new = converts.of_uh_2x2(self, rs, words, how)
            else:
                new = converts.of_ub(self, kind.removeprefix("ub"), rs, words, how)
            self.last_fixed = new
        if direct or kind == "uh:2x1" or not rs & converts.FEEDBACK:
            self.states = [new, *self.states[:2]]
        else:
            self.states[0] = new
        if not rs & 1:
            self.finish(is_float)

    def store(
        self, where: Spatial, columns: str = "all", *, deep: bool = False, double: bool = False
    ) -> None:
        """Writes the convert state; with `double` only the 16 results of `2x2`."""
        older = self.states[2 if deep else 1]
        for base, at, source, is_older in cells.targets(where, columns):
            row = (older if is_older and columns == "all" else self.states[0])[source]
            for channel in range(16 if double else CHANNELS):
                cell = row[2 * channel + 1] if double else row[channel]
                to = channel + (16 if double and where.rs & 64 else 0)
                self.memory[base + place(at, to, where.channel_major)] = cell >> 4

    def execute(self, packet: Sequence[Instruction]) -> None:
        """One packet: a pair, or one instruction.  A load without its partner does nothing."""
        loads = [one.load() for one in packet]
        acts = [one for one in loads if isinstance(one, Activation)]
        stream = [one for one in loads if isinstance(one, Weight)]
        if acts and stream:
            multiply(self, acts[0], stream[0])
        for one in packet:
            one.apply(self)
