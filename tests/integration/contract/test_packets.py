"""Where the packets of real code go on."""

from __future__ import annotations

from pathlib import Path

from buildtool.core.elf.read import read_code
from buildtool.toolchains.hvx import packets

from .vector_library import library

FLOW = """
.text
.globl start
.type start,@function
start: { loop1(outer,r2) }
outer: { loop0(inner,r2) }
inner: { r3 = add(r3,#1); nop }:endloop0
{ p0 = cmp.eq(r0,#0); if (p0.new) jump:nt near }
{ r4 = add(r4,#1); nop; nop }:endloop1
{ jump ##far }
near: { if (cmp.eq(r1.new,r2)) jump:t inner; r1 = add(r1,r3) }
{ r0 = #3 ; jump far }
{ if (r1==#0) jump:nt far }
{ call far }
{ if (p0) jumpr r31 }
{ jumpr r5 }
far: { r31:30 = dealloc_return(r30):raw }
{ r0 = #0; jumpr r31 }
"""


def test_where_packets_go_on(tmp_path: Path) -> None:
    ((start, code),) = read_code(library(tmp_path, FLOW)).sections
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    found = packets(words, start)
    outer, inner, near, far = (found[n].address for n in (1, 2, 6, 12))

    assert [packet.targets for packet in found] == [
        *((), (), (inner,), (near,), (outer,), (far,)),
        *((inner,), (far,), (far,), (), (), (), (), ()),
    ]
    ends = (5, 7, 11, 12, 13)
    assert [packet.falls_through for packet in found] == [n not in ends for n in range(14)]
    assert [number for number, packet in enumerate(found) if packet.calls] == [9]
    assert [number for number, packet in enumerate(found) if packet.indirect] == [11]
    assert [number for number, packet in enumerate(found) if packet.frame] == [12]


ENDS = """
.text
.globl start
.type start,@function
start: { loop0(first,r2) }
first: { p0 = cmp.eq(r0,#0); if (p0.new) jump:nt other }
{ nop; nop }:endloop0
{ jump second }
other: { nop; nop }:endloop0
second: { loop0(last,r2) }
last: { nop; nop }:endloop0
{ jumpr r31 }
"""


def test_a_loop_may_have_several_ends(tmp_path: Path) -> None:
    ((start, code),) = read_code(library(tmp_path, ENDS)).sections
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    found = packets(words, start)
    first, other, second, last = (found[n].address for n in (1, 4, 5, 6))

    assert [packet.targets for packet in found] == [
        *((), (other,), (first,), (second,), (first,), (), (last,), ())
    ]
    assert not any(packet.indirect for packet in found)
    # Without what sets the loop up, nobody knows where it begins.
    part = words[(first - start) // 4 : (second - start) // 4]
    assert [packet.indirect for packet in packets(part, first)] == [False, True, False, True]
