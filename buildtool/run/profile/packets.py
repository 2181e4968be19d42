"""Packets in Hexagon code: their sizes, and how many instructions each has.

Source: Hexagon V67 Programmer's Reference Manual, "Packet Encoding Details", "Duplexes", "Constant
Extenders".  An instruction is what QEMU counts as one: not `nop`, and no constant extender.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from buildtool.core.value import Value

MAX_WORDS = 4
"""Of a packet, which is also the number of instructions that a DSP executes at once."""
_PARSE = 3 << 14
_NOP = 0x7F000000
_EXTRACT = (0xFFE02020, 0x92000020)  # mask and value of Rd = vextract(Vu,Rs)


class Packet(Value):
    """A packet: its address, its size in bytes, and its instructions, of which some are HVX's."""

    address: int
    size: int
    instructions: int
    hvx: int


def packets_between(start: int, end: int, word_at: Callable[[int], int | None]) -> Iterator[Packet]:
    """The packets from the address `start` on, until `end` or a word that is not there."""
    while start < end:
        instructions = hvx = size = 0
        is_end = False
        while not is_end and size < 4 * MAX_WORDS:
            word = word_at(start + size)
            if word is None:
                return
            size += 4
            parse = word & _PARSE
            is_end = parse in (0, _PARSE)
            if not parse:
                instructions += 2
            elif word & ~_PARSE != _NOP and word >> 28:
                instructions += 1
                hvx += is_hvx(word)
        if not is_end:
            return  # these words are no packet
        yield Packet(start, size, instructions, hvx)
        start += size


def is_hvx(word: int) -> bool:
    """Whether a word that is no duplex is an instruction of HVX."""
    return word >> 27 in (0b00011, 0b00101) or word & _EXTRACT[0] == _EXTRACT[1]
