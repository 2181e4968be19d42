"""Which vectors in the frame of a function an instruction loads and stores."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.toolchains.instructions.hvx import Form, address_of, is_vector
from buildtool.toolchains.instructions.packets import Packet

Slot = tuple[int, int]
"""An address in the stack: a register, and the bytes after it."""
_BASES = (29, 30)  # the stack pointer and the frame pointer
_PARSE = 0xC000
_ADD, _JUMPS, _STORES = 0xB, (1, 2, 5), 0xA  # the first 4 bits


class StackAddresses:
    """The registers that have an address in the stack, while packets are read in order."""

    def __init__(self) -> None:
        self._known: dict[int, Slot] = {}

    def forget(self) -> None:
        """Code begins that is reached from elsewhere."""
        self._known.clear()

    def slot(self, word: int, form: Form) -> Slot | None:
        """What a load or store of a vector accesses; None if that is not known."""
        if not form.memory or "++" in form.memory:
            return None
        register, offset = address_of(word)
        base = self._address(register)
        return (base[0], base[1] + offset) if base else None

    def execute(self, packet: Packet, incremented: set[int]) -> frozenset[int]:
        """Note what a packet computes, besides the registers that vector instructions increment;
        returns which of the stack pointer and the frame pointer it changes.

        An instruction is taken to write each register that may be named as its result.
        """
        bases = set(_BASES) if packet.frame else set[int]()
        found: dict[int, Slot] = {}
        written = incremented
        for word, extended in _scalars(packet):
            result = word & 31
            if not word & _PARSE:  # a duplex names registers with 4 bits
                fields = {word >> at & 15 for at in (0, 4, 8, 16, 20, 24)}
                written |= {field + (8 if field > 7 else 0) for field in fields}
                continue
            written |= {word >> at & 31 for at in (0, 8, 16)}
            if result in _BASES and word >> 28 not in (*_JUMPS, _STORES):
                bases.add(result)
            elif word >> 28 == _ADD and (base := self._address(word >> 16 & 31)) and not extended:
                offset = (word >> 21 & 0x7F) << 9 | word >> 5 & 0x1FF
                found[result] = (base[0], base[1] + offset - (offset << 1 & 0x10000))
        for register in written:
            self._known.pop(register, None)
            self._known.pop(register ^ 1, None)  # of a pair
        self._known |= found
        if packet.calls or bases:
            self._known.clear()
        return frozenset(bases)

    def _address(self, register: int) -> Slot | None:
        return (register, 0) if register in _BASES else self._known.get(register)


def _scalars(packet: Packet) -> Iterator[tuple[int, bool]]:
    """The instructions that are none of HVX, and whether each one's constant is extended."""
    extended = False
    for word in packet.words:
        extender = not word >> 28 and bool(word & _PARSE)
        if not extender and not is_vector(word):
            yield word, extended
        extended = extender
