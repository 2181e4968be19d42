"""The results of the skel for the bytes of valid calls and of damaged ones.

The valid calls are stated as numbers; those marked qaic are what the code of the SDK's IDL
compiler sends.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

ROUNDS = 100 if os.environ.get("BUILDTOOL_LONG") == "1" else 30
Skel = Callable[[str], list[str]]

THREE = "010000000200000003000000"
BAD_PARAMETER = ("status=0000000e leaked=0", "status=8000040e leaked=0")
UNSUPPORTED = ("status=00000014 leaked=0", "status=80000414 leaked=0")
NO_MEMORY = ("status=00000002 leaked=0", "status=80000402 leaked=0")
OK = "status=00000000 leaked=0"

URI = "file:///libwire_skel.so?wire_skel_handle_invoke&_modver=1.0"


def opening(uri: str) -> str:
    text = uri.encode() + b"\0"
    return f"00020001 i{len(text).to_bytes(4, 'little').hex()} i{text.hex()} h0"


@dataclass(frozen=True)
class Good:
    """A call as it is on the wire, and the results of the skel and its implementation."""

    name: str
    call: str
    lines: list[str]


GOOD = [
    Good("open", opening(f"{URI}&_idlver=1.2.3&_dom=cdsp"),
         [f"uri={URI}&_idlver=1.2.3&_dom=cdsp", "handle=77"]),
    Good("close", "01000010 h42", ["close=42"]),
    Good("scalar", "02010000 ifeffffff", ["h=5", "a=feffffff"]),
    Good("sequence_in", f"03020100 i03000000 i{THREE} o8", [f"v={THREE}", "out=0102030405060708"]),
    Good("aligned", "04010100 i02010000000000000a090807060504030b o16",
         ["a=0201", "b=0a09080706050403", "c=0b", "out=0201000000000000" "000000000000e03f"]),
    Good("inrout_both", "05020200 i2a0000000300000003000000 i070809 o4 o3",
         ["*x=2a000000", "b=070809", "out=2b000000", "out=080809"]),
    Good("inrout_both with more room than came", "05020200 i2a0000000200000003000000 i0708 o4 o3",
         ["*x=2a000000", "b=0708ee", "out=2b000000", "out=0808ee"]),
    Good("texts", "06030200 i04000000040000000300000002000000 i68657900 i3a2678000000 o4 o4",
         ["s=68657900", "w=3a2678000000", "out=01020304", "out=01020304"]),
    Good("inrout_wide", "07020100 i0300000004000000ffffffffffffffff i610062000000 o8",
         ["w=610062000000eeee", "q=ffffffffffffffff", "out=610062000000eeee"]),
    Good("sequence_rout", "08010100 i02000000 o8", ["out=0102030405060708"]),
    Good("sequence_rout of nothing", "08010100 i00000000 n0", []),
    Good("dma", "09000011 d11+4096 d12+64",
         ["d=11+4096,1100 e=12+64,1200", f"handle={(64 << 32) + 12}"]),
    Good("nothing", "0a000000", ["nothing"]),
    Good("pair_in", f"0b030100 i0300000003000000 i{THREE} i426f00 o4",
         [f"a={THREE}", "n=426f00", "out=01020304"]),
    Good("strings_in qaic", "0c040000 i02000000 i0300000005000000 i616200 i7778797a00",
         ["s=616200", "text=ab", "s=7778797a00", "text=wxyz"]),
    Good("strings_in with an empty one", "0c040000 i02000000 i0000000003000000 n0 i426f00",
         ["s=-", "text=", "s=426f00", "text=Bo"]),
    Good("strings_rout qaic", "0d020200 i02000000 i0400000006000000 o4 o6",
         ["out=01020304", "out=010203040506"]),
    Good("pair_rout qaic", "0e010300 i0300000008000000 o4 o12 o8",
         ["out=01020304", "out=0102030405060708090a0b0c", "out=0102030405060708"]),
    Good("pairs_in qaic",
         f"0f060000 i0200000009000000 i03000000030000000100000004000000 i{THREE} i426f00"
         " i04000000 i416e6e00",
         [f"a={THREE}", "n=426f00", "a=04000000", "n=416e6e00", "o=09"]),
    Good("pairs_rout qaic",
         "10020400 i02000000 i03000000080000000100000004000000 o12 o8 o4 o4",
         ["out=0102030405060708090a0b0c", "out=0102030405060708", "out=01020304"] * 1
         + ["out=01020304"]),
    Good("kinds qaic", "11010000 i0200000001000000", ["k=2 b=1"]),
    Good("kinds without the padding", "11010000 i0200000001", ["k=2 b=1"]),
    Good("kinds with a boolean of 0xff", "11010000 i02000000ff", ["k=2 b=1"]),
    Good("inrout_then_octet qaic",
         "12020200 i2a000000030000000300000008000000 i070809 o4 o3",
         ["o=08", "*x=2a000000", "b=070809", "out=2b000000", "out=080809"]),
    Good("reports_rout", "13020500 i02000000 i01000000020000000100000002000000 o32 o4 o2 o4 o2",
         ["out=0201000000000000" "000000000000e03f" "0301000000000000" "000000000000e03f",
          "out=01020304", "out=0102", "out=01020304", "out=0102"]),
    Good("flats",
         "14010100 iaa00000000000000ffffffffffffffff0100000000000000010203040506ff o31",
         ["o=170 q=-1 b=1,1", "i=010203040506",
          "out=01000000000000000200000000000000010000000000000001020304050600"]),
    Good("inrout_text", "15020100 i0200000004000000 i6100 o4", ["s=6100eeee", "out=6100eeee"]),
    Good("inrout_text of nothing", "15020100 i0000000000000000 n0 n0", ["s=-"]),
    Good("lists_in", f"16050000 i03000000 i030000000000000001000000 i{THREE} n0 i04000000",
         [f"l={THREE}", "l=-", "l=04000000"]),
    Good("mixed",
         "17050410 i02000000020000000300000001000000" "01000000020000002a000000"
         " i7300 i7a00 i03000000 i426f00 o20 o3 o4 o2 d11+4096",
         ["d=11+4096,1100 s=s z=z", "n=Bo",
          "out=0201000000000000" "000000000000e03f" "2b000000",
          "out=010203", "out=01020304", "out=0102"]),
    Good("dmas", "19010031 i0200000001000000 d20+0 d21+4096 d11+64 d50+8",
         ["d=20+0,2000", "d=21+4096,2100", "e=50+8,5000", "f=11+64,1100",
          f"handle={(8 << 32) + 50}"]),
    Good("dmas of nothing", "19010010 i0000000000000000 d11+64", ["f=11+64,1100"]),
    Good("as many dmas as go",
         "190100ff i0e0000000f000000 " + " ".join(f"d{20 + i}+{i}" for i in range(30)),
         [*(f"d={20 + i}+{i},{2000 + 100 * i}" for i in range(14)),
          *(f"e={35 + i}+{15 + i},{3500 + 100 * i}" for i in range(15)),
          "f=34+14,3400",
          *(f"handle={((15 + i) << 32) + 35 + i}" for i in range(15))]),
    Good("dmas_mixed", "1a030121 i0200000001000000 i03000000 i426f00 o4 d20+0 d21+4096 d50+64",
         ["d=20+0,2000", "d=21+4096,2100", "e=50+64,5000", "n=Bo", "out=01020304",
          f"handle={(64 << 32) + 50}"]),
    Good("filler24", "18000000", ["filler 24"]),
    Good("filler30", "1e000000", ["filler 30"]),
    Good("escaped", "1f010000 i1f00000000000000ffffffffffffffff", ["a=ffffffffffffffff"]),
    Good("escaped_nothing", "1f010000 i20000000", ["escaped nothing"]),
    Good("attributes of the scalars are not the skel's", "e2010000 ifeffffff",
         ["h=5", "a=feffffff"]),
]  # fmt: skip


@pytest.mark.parametrize("good", GOOD, ids=lambda good: good.name)
def test_a_good_call(skel: Skel, good: Good) -> None:
    lines = skel(good.call)
    assert lines == [*good.lines, OK]


def test_a_failed_call_returns_its_code_and_writes_no_result(skel: Skel) -> None:
    lines = skel("03020100 i01000000 i01000000 o8")
    assert lines == ["v=01000000", "out=eeeeeeeeeeeeeeee", "status=00001234 leaked=0"]


@pytest.mark.parametrize(
    ("version", "accepted"),
    [
        ("&_idlver=1.2.3", True),
        ("&_idlver=1.2.2&_dom=cdsp", True),
        ("&_idlver=0.99.999", True),
        ("&_idlver=1.2", True),
        ("&_idlver=1.2.4", False),
        ("&_idlver=1.3.0&_dom=cdsp", False),
        ("&_idlver=2.0.0", False),
        ("", False),
        ("&_idlver=1.2.x", False),
        ("&_idlver=1.2.3.0", False),
        ("&_idlver=1000.0.0", False),
        ("&_idlver=99999999999999999999", False),
    ],
)
def test_a_stub_newer_than_the_skel_is_refused(skel: Skel, version: str, accepted: bool) -> None:
    lines = skel(opening(URI + version))
    if accepted:
        assert lines == [f"uri={URI}{version}", "handle=77", OK]
    else:
        assert lines[0] == "handle=0"
        assert lines[-1] in ("status=00000194 leaked=0", "status=80000594 leaked=0")


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("02000000", id="no primIn"),
        pytest.param("02020000 ifeffffff i00", id="one in buffer too many"),
        pytest.param("02010100 ifeffffff o4", id="one rout buffer too many"),
        pytest.param("02010010 ifeffffff h1", id="one in handle too many"),
        pytest.param("02010001 ifeffffff h1", id="one out handle too many"),
        pytest.param("02010000 ifeffff", id="primIn too short"),
        pytest.param("02010000 n4", id="primIn without memory"),
        pytest.param(f"03020100 i03000000 i{THREE[:-2]} o8", id="sequence one byte short"),
        pytest.param(f"03020100 i04000000 i{THREE} o8", id="sequence shorter than its length"),
        pytest.param(f"03020100 i03000040 i{THREE} o8", id="length times size wraps at 32 bits"),
        pytest.param(f"03020100 iffffffff i{THREE} o8", id="length is negative in C"),
        pytest.param("03020100 i03000000 n12 o8", id="sequence without memory"),
        pytest.param(f"03020100 i03000000 i{THREE} o7", id="primROut too short"),
        pytest.param(f"03020100 i03000000 i{THREE} n8", id="primROut without memory"),
        pytest.param("05020200 i2a0000000300000002000000 i070809 o4 o2", id="more in than room"),
        pytest.param("05020200 i2a0000000300000003000000 i070809 o4 o2", id="room not there"),
        pytest.param(
            "06030200 i04000000040000000300000002000000 i68657979 i3a2678000000 o4 o4",
            id="text without terminator",
        ),
        pytest.param(
            "06030200 i03000000040000000300000002000000 i68657900 i3a2678000000 o4 o4",
            id="text that ends before its terminator",
        ),
        pytest.param(
            "06030200 i00000000040000000300000002000000 n0 i3a2678000000 o4 o4",
            id="text of length 0",
        ),
        pytest.param(
            "06030200 i04000000040000000300000002000000 i68657900 i3a2678000100 o4 o4",
            id="wide text without terminator",
        ),
        pytest.param(
            "06030200 i04000000040000000300000002000000 i68657900 i3a26780000 o4 o4",
            id="wide text with half a terminator",
        ),
        pytest.param(
            "06030200 i04000000000000800300000002000000 i68657900 i3a2678000000 c2147483648 o4",
            id="room is negative in C though the buffer has it",
        ),
        pytest.param("09000011 d99+0 d12+64", id="shared buffer that is not mapped"),
        pytest.param("09000010 d11+0", id="out handle missing"),
        pytest.param("19010021 i0200000001000000 d20+0 d21+4096 d50+8", id="dmas: last missing"),
        pytest.param("19010030 i0200000001000000 d20+0 d21+0 d11+0", id="dmas: rout one missing"),
        pytest.param("19010021 i0000000001000000 d20+0 d11+0 d50+8", id="dmas: one in too many"),
        pytest.param("19010012 i0000000001000000 d11+0 d50+8 d51+8", id="dmas: one out too many"),
        pytest.param("19010022 i0100000001000000 d20+0 d11+0 d50+8 d51+8", id="dmas: spare out"),
        pytest.param("19010010 iffffffff00000000 d11+0", id="dmas: length is negative in C"),
        pytest.param("19010010 i0000000000000080 d11+0", id="dmas: room is negative in C"),
        pytest.param("190100f0 i1000000000000000" + " d20+0" * 15, id="dmas: length of 16"),
        pytest.param("19000010 d11+0", id="dmas: no primIn"),
        pytest.param("19010010 i00000000 d11+0", id="dmas: primIn too short"),
        pytest.param("19010110 i0000000000000000 o4 d11+0", id="dmas: a buffer too many"),
        pytest.param("19010031 i0200000001000000 d20+0 d99+0 d11+64 d50+8", id="dmas: not mapped"),
        pytest.param("19010031 i0200000001000000 d20+0 d21+0 d11+64 d99+8", id="dmas: out not"),
        pytest.param(f"0b020100 i0300000003000000 i{THREE} o4", id="struct: buffer missing"),
        pytest.param(f"0b030100 i0300000004000000 i{THREE} i426f00 o4", id="struct: text short"),
        pytest.param(f"0b030100 i0300000003000000 i{THREE} i426f66 o4", id="struct: no terminator"),
        pytest.param(f"0b030000 i0300000003000000 i{THREE} i426f00", id="struct: no primROut"),
        pytest.param("0c030000 i02000000 i0300000005000000 i616200", id="strings: one missing"),
        pytest.param("0c040000 i01000000 i03000000 i616200 i00", id="strings: one too many"),
        pytest.param("0c040000 i02000000 i03000000 i616200 i6100", id="strings: length missing"),
        pytest.param("0c020000 iffffffff i03000000", id="strings: count is negative in C"),
        pytest.param("0c020000 i00010000 i" + "01000000" * 256, id="strings: more than go"),
        pytest.param("0c030000 i01000000 iffffffff i00", id="strings: length is negative"),
        pytest.param("0d020100 i02000000 i0400000006000000 o4", id="rout strings: one missing"),
        pytest.param("0d020200 i02000000 i0400000006000000 o4 o5", id="rout strings: no room"),
        pytest.param("0e010200 i0300000008000000 o4 o12", id="rout struct: buffer missing"),
        pytest.param("13010500 i02000000 o32 o4 o2 o4 o2", id="rout structs: room missing"),
        pytest.param(
            "13020500 i02000000 i01000000020000000100000002000000 o31 o4 o2 o4 o2",
            id="rout structs: values short",
        ),
        pytest.param("15020100 i0000000004000000 n0 o4", id="inrout text of length 0 with room"),
        pytest.param("1f000000", id="escape without primIn"),
        pytest.param("1f010000 i1f0000", id="escape with a short primIn"),
        pytest.param("1f010000 i1f00000000000000", id="escaped method's primIn too short"),
        pytest.param("00020001 i05000000 i66696c6500 n0", id="open: no version", marks=()),
    ],
)
def test_inconsistent_bytes_are_refused(skel: Skel, call: str) -> None:
    lines = skel(call)
    refused = (*BAD_PARAMETER, "status=00000194 leaked=0", "status=80000594 leaked=0")
    assert lines[-1] in refused
    assert all(line.startswith(("out=ee", "out=-", "handle=")) for line in lines[:-1]), lines


@pytest.mark.parametrize(
    "call",
    ["1f010000 i21000000", "1f010000 i00000000", "1f010000 i02000000", "1f010000 iffffffff"],
)
def test_unknown_methods(skel: Skel, call: str) -> None:
    assert skel(call)[-1] in UNSUPPORTED


@pytest.mark.parametrize(
    "name",
    [
        *("pairs_in qaic", "pairs_rout qaic", "reports_rout", "mixed", "strings_in qaic"),
        *("dmas", "dmas_mixed"),
    ],
)
def test_running_out_of_memory_is_an_error_that_leaves_nothing_behind(
    skel: Skel, name: str
) -> None:
    good = next(good for good in GOOD if good.name == name)
    scalars, arguments = good.call.split(" ", 1)
    for allocations in range(10):
        lines = skel(f"{scalars} f{allocations} {arguments}")
        if lines == [*good.lines, OK]:
            assert allocations > 0
            return
        assert lines[-1] in NO_MEMORY
    pytest.fail("every allocation failed")


def mutated(call: str, choice: random.Random) -> str:
    """The call with some bytes, sizes and arguments changed; the scalars are adapted."""
    scalars, *arguments = call.split(" ")
    kinds: list[list[str]] = [[], [], []]
    for argument in arguments:
        kinds["io".find(argument[0]) if argument[0] in "io" else 2].append(argument)
    inputs, outputs, handles = kinds
    n_in = (int(scalars, 16) >> 4) & 0xF
    handle_kinds = [handles[:n_in], handles[n_in:]]
    if any(argument[0] == "n" for argument in arguments):
        return call
    for _ in range(choice.randint(1, 3)):
        at = choice.randrange(6)
        if at == 0 and inputs:
            octets = bytearray.fromhex(inputs[i := choice.randrange(len(inputs))][1:])
            if octets:
                octets[choice.randrange(len(octets))] = choice.choice((0, 1, 2, 0x7F, 0x80, 0xFF))
            inputs[i] = "i" + octets.hex()
        elif at == 1 and inputs:
            i = choice.randrange(len(inputs))
            inputs[i] = inputs[i][: 1 + 2 * choice.randrange(len(inputs[i]))]
        elif at == 2 and outputs:
            outputs[choice.randrange(len(outputs))] = f"o{choice.randrange(40)}"
        elif at == 3:
            pool = choice.choice((inputs, outputs))
            if pool and choice.random() < 0.5:
                pool.pop(choice.randrange(len(pool)))
            elif len(pool) < 20:
                pool.append("i00" if pool is inputs else "o4")
        elif at == 4:
            pool = choice.choice(handle_kinds)
            if pool and choice.random() < 0.5:
                pool.pop(choice.randrange(len(pool)))
            elif len(pool) < 15:
                pool.append(choice.choice(("d20+0", "d99+0", "h0")))
        elif inputs:
            inputs.append(choice.choice(inputs))
    ins, outs = handle_kinds
    method = int(scalars, 16) & 0x1F000000
    counts = len(inputs) << 16 | len(outputs) << 8 | len(ins) << 4 | len(outs)
    return " ".join([f"{method | counts:08x}", *inputs, *outputs, *ins, *outs])


def test_no_bytes_bring_the_skel_down(skel: Skel) -> None:
    """Each of many damaged calls is executed or refused, and nothing leaks."""
    choice = random.Random(20)
    damaged = [
        mutated(good.call, choice) for good in GOOD for _ in range(ROUNDS) if good.name != "open"
    ]
    lines = skel("\n".join(damaged))
    statuses = [line for line in lines if line.startswith("status=")]
    assert len(statuses) == len(damaged)
    assert set(statuses) <= {OK, *BAD_PARAMETER, *UNSUPPORTED, "status=00001234 leaked=0"}
    assert sum(status in BAD_PARAMETER for status in statuses) > len(statuses) // 2
    assert sum(status == OK for status in statuses) > ROUNDS
