"""Instructions that the open assembler does not know are encoded as words."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.toolchains.hmx import HmxSyntaxError
from buildtool.toolchains.open_llvm import (
    AssemblyListing,
    SourceLine,
    encoded,
    find_places,
    to_assembly,
)

CODE = """\
f:
	//# InlineAsm Start
	{ activation.hf = mxmem(r0, r2):deep
 weight.hf = mxmem(r1, r3) }
	//# InlineAsm End
	{
		r0 = +mpyi(r0,#3)
	}
	//# InlineAsm Start
	mxclracc.hf
	r7 = upmucnt3
	//# InlineAsm End
	{
		jumpr r31
	}
""".splitlines()


PAIR = "{ activation.hf = mxmem(r0, r1):deep\n weight.hf = mxmem(r2, r3) }"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("r0 = upmucnt0", "0x6a14c000"),
        ("r28 = upmucnt7", "0x6a1bc01c"),
        ("{ r5=upmucnt3 }", "0x6a17c005"),
        ("mxclracc.hf", "0xa6e0c013"),
        ("bias = mxmem2(r4) // scales", "0x9204c3fe"),
        ("mxclracc; mxmem(r5,r6):after:sat.ub=acc", "0xa6e0c011, 0xa6e5c604"),
        (PAIR, "0x920041e2, 0x9202e3ef"),
        # The weight has slot 0, wherever it is written.
        ("{ weight.b=mxmem(r2,r3); activation.ub=mxmem(r0,r1):deep }", "0x920041e0, 0x9202e3e0"),
        (f"{PAIR[:-1]}; r0 = add(r0,#4096) }}", "0xb1004000, 0x920041e2, 0x9202e3ef"),
        (f"{PAIR}:endloop0", "0x920081e2, 0x9202e3ef"),
        ("{ mxclracc }:endloop0", "0x7f008000, 0xa6e0c011"),
        ("{ mxclracc }:endloop01", "0x7f008000, 0x7f008000, 0xa6e0c011"),
        ("cvt.hf=acc(sp)", "0xa6fdda10"),
    ],
)
def test_instructions_become_words(text: str, words: str) -> None:
    """A read of a counter is as clang encodes `r5 = upcyclelo`, C14: 0x6a0ec005."""
    assert encoded(text) == f".word {words}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("label9: mxclracc", "label9: .word 0xa6e0c011"),
        ("1: .Lb: { mxclracc }:endloop0", "1: .Lb: .word 0x7f008000, 0xa6e0c011"),
        ("mxmem(r5,r6):after:sat.ub=acc", ".word 0xa6e5c604"),
    ],
)
def test_labels_stay(text: str, words: str) -> None:
    assert encoded(text) == words


@pytest.mark.parametrize(
    ("text", "arch", "why"),
    [
        ("cvt.hf=acc(r2)", 69, "cvt.hf=acc(r2): an instruction of v73 and newer, for a v69"),
        ("acc=mxshl(acc,#16)", 79, "an instruction of v68 to v75, for a v79"),
    ],
)
def test_instructions_of_other_archs_are_refused(text: str, arch: int, why: str) -> None:
    encoded(text, 73)
    with pytest.raises(HmxSyntaxError) as caught:
        encoded(text, arch)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{ r5 = upmucnt3; r6 = r7 }", "alone in its packet"),
        ("r5 = upmucnt8", "alone in its packet"),
        ("mxclracc.sf", "mxclracc.sf: no such instruction of HMX"),
        ("activation.hf=mxmem(r0,r32)", "there is no register r32"),
        ("{ mxclracc; mxclracc.hf }", "one instruction of HMX, or an activation and a weight"),
        (
            f"{PAIR[:-1]}; v0 = vmem(r4+#0) }}",
            "v0=vmem(r4+#0): no such instruction",
        ),
        ("{ mxclracc; nop; nop; nop; nop }", "more than four"),
        ("{ mxclracc; r0 = add(r0,#32768) }", "does not fit 16 bits"),
    ],
)
def test_others_are_refused_by_name(text: str, why: str) -> None:
    with pytest.raises(HmxSyntaxError) as caught:
        encoded(text)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("line", "first", "last", "text"),
    [
        (2, 2, 3, "{ activation.hf = mxmem(r0, r2):deep\n weight.hf = mxmem(r1, r3) }"),
        (3, 2, 3, "{ activation.hf = mxmem(r0, r2):deep\n weight.hf = mxmem(r1, r3) }"),
        (9, 9, 9, "mxclracc.hf"),
        (10, 10, 10, "r7 = upmucnt3"),
    ],
)
def test_a_packet_is_replaced_as_a_whole(line: int, first: int, last: int, text: str) -> None:
    statement = AssemblyListing(tuple(CODE)).statement(line)
    assert (statement.first, statement.last, statement.text) == (first, last, text)
    assert statement.replaceable


@pytest.mark.parametrize("text", ["r0 = ad(r1,r2)", "accumulate", "bias2 = r0", "vmx = v0"])
def test_other_mistakes_stay_errors(text: str) -> None:
    assert not AssemblyListing((text,)).statement(0).replaceable


def test_only_the_instructions_are_replaced() -> None:
    listing = AssemblyListing(tuple(CODE))
    new = listing.replaced([listing.statement(n) for n in (2, 9, 10)])
    kept = [line for line in new.lines if line in CODE]
    assert kept == [line for n, line in enumerate(CODE) if n not in (2, 3, 9, 10)]
    assert [line for line in new.lines if line not in CODE] == [
        ".word 0x920042e2, 0x9201e3ef",
        ".word 0xa6e0c013",
        ".word 0x6a17c007",
    ]


def test_places_are_as_in_outputs() -> None:
    said = (
        "/home/me/p/dsp/a.c:5:20: error: unrecognized instruction\n"
        "    5 | asm(...)\n<inline asm>:1:4: note: instantiated into assembly here\n"
        "/opt/sdk/x.h:7:1: error: unrecognized instruction\n"
    )
    words = ["cc", "-ffile-prefix-map=/home/me/p=.", "-c", "/home/me/p/dsp/a.c"]
    assert find_places(said, words) == [SourceLine("dsp/a.c", 5), SourceLine("x.h", 7)]


def test_the_dependency_file_is_not_asked_for_twice() -> None:
    words = ["cc", "-O2", "-MD", "-MT", "a.o", "-MF", "a.d", "-o", "a.o", "-c", "a.c"]
    made = to_assembly(words, Path("/t/a.s"))
    assert made[:3] == ["cc", "-O2", "a.c"]
    assert made[3:6] == ["-o", "/t/a.s", "-S"]
    assert not {"-c", "-MD", "-MT", "-MF", "a.d"} & set(made)


def test_assembly_is_preprocessed() -> None:
    words = ["cc", "-I", "include", "-DN=1", "-o", "a.o", "-c", "a.S"]
    made = to_assembly(words, Path("/t/a.s"))
    assert made == ["cc", "-I", "include", "-DN=1", "a.S", "-o", "/t/a.s", "-E", "-P"]
