"""Instructions that the open assembler does not know are encoded or replaced by traps."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.toolchains.missing_instructions import (
    LACKS,
    AssemblyListing,
    SourceLine,
    encoded,
    missing_in,
)
from buildtool.toolchains.open_assembler import find_places, to_assembly

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


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("r0 = upmucnt0", ".word 0x6a14c000"),
        ("r28 = upmucnt7", ".word 0x6a1bc01c"),
        ("{ r5=upmucnt3 }", ".word 0x6a17c005"),
        ("{ r5 = upmucnt3; r6 = r7 }", ""),
        ("r5 = upmucnt8", ""),
        ("mxclracc.hf", ""),
    ],
)
def test_a_read_of_a_counter_is_a_transfer_from_c20_to_c27(text: str, word: str) -> None:
    """As clang encodes `r5 = upcyclelo`, C14: 0x6a0ec005."""
    assert encoded(text) == word


@pytest.mark.parametrize(
    ("line", "first", "last", "text"),
    [
        (2, 2, 3, "{ activation.hf = mxmem(r0, r2):deep weight.hf = mxmem(r1, r3) }"),
        (3, 2, 3, "{ activation.hf = mxmem(r0, r2):deep weight.hf = mxmem(r1, r3) }"),
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
    wanted = [listing.statement(n) for n in (2, 9, 10)]
    places = [SourceLine("dsp/a b.c", 5), SourceLine("dsp/m.h", 6), SourceLine("dsp/c.c", 7)]
    new = listing.replaced(list(zip(wanted, places, strict=True)))
    kept = [line for line in new.lines if line in CODE]
    assert kept == [line for n, line in enumerate(CODE) if n not in (2, 3, 9, 10)]
    assert [place for place, _ in new.missing] == places[:2]
    assert sum("call HAP_debug" in line for line in new.lines) == 2
    assert ".word 0x6a17c007" in new.lines
    text = new.text()
    assert '.asciz "dsp/a b.c"' in text
    assert '.asciz "mxclracc.hf is not in this skel: the open assembler does not know it"' in text


def test_a_hostile_name_stays_one_string() -> None:
    place = SourceLine('a".s\\\n', 1)
    listing = AssemblyListing(("mxclracc",))
    new = listing.replaced([(listing.statement(0), place)])
    assert r'.asciz "a\".s\\?"' in new.text()


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


def test_a_skel_lists_its_places() -> None:
    record = "dsp/m.c\0" + f"5\0mxclracc{LACKS}\0"
    data = b"\x7fELF\xff\0" + (record * 2).encode() + b"a.c\0" + b"7\0nothing\0" + LACKS.encode()
    assert missing_in(data) == [(SourceLine("dsp/m.c", 5), "mxclracc")]
