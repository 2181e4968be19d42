"""Packets of code: where they end, and their instructions."""

from __future__ import annotations

from buildtool.run.profile.recording import Packet, packets_between

# From LLVM's assembler: { p0 = cmp.eq(r0,#0); r1:0 = combine(r0,#1); allocframe in a duplex }
DUPLEX = (0x75004000, 0x73006020, 0xEBF41C10)
# { immext(#1664512); r1 = ##1664525 }
EXTENDED = (0x00016598, 0x7800C1A1)
# { r7 = xor(r7,r11); nop } :endloop0, whose first word has the parse bits 10
LOOP_END = (0xF1678B07, 0x7F00C000)
# { v0.w = vadd(v1.w,v2.w) } and { r0 = vextract(v3,r1) }
VECTOR = (0x1C42C100,)
EXTRACT = (0x9201C320,)


def packets(*words: int, start: int = 0x100) -> list[Packet]:
    code = {start + 4 * number: word for number, word in enumerate(words)}
    return list(packets_between(start, start + 4 * len(words), code.get))


def test_instructions_of_packets() -> None:
    found = packets(*DUPLEX, *EXTENDED, *LOOP_END, *VECTOR, *EXTRACT)

    assert [packet.size for packet in found] == [12, 8, 8, 4, 4]
    assert [packet.instructions for packet in found] == [4, 1, 1, 1, 1]
    assert [packet.hvx for packet in found] == [0, 0, 0, 1, 1]
    assert [packet.address for packet in found] == [0x100, 0x10C, 0x114, 0x11C, 0x120]


def test_words_that_are_no_packet_end_the_list() -> None:
    assert packets(*EXTENDED, *([0x75004000] * 5)) == packets(*EXTENDED)
    assert packets(0x75004000) == []
    assert packets() == []
