"""Escaped text does not control a terminal, and readable text is not changed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.escape import escape, without_colours

BIDI = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
HOSTILE = st.one_of(
    st.sampled_from("\x1b\x07\x08\r\t\v\f\x7f\x85\x9b\u061c\u200e\u2028\u2029\u202e\u2066\udcff"),
    st.characters(),
)
TEXT = st.text(HOSTILE)


def drives_a_terminal(character: str) -> bool:
    """Whether a character, by Unicode, is a control character, reorders text or ends lines."""
    return character != "\n" and (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in BIDI
        or character in "\u061c\u200e\u200f"  # the marks of UAX #9
    )


@given(TEXT)
def test_nothing_that_drives_a_terminal_is_left(text: str) -> None:
    assert not [c for c in escape(text) if drives_a_terminal(c)]


@given(TEXT)
def test_what_is_escaped_stays_so(text: str) -> None:
    assert escape(escape(text)) == escape(text)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf"])))
def test_readable_text_stays_as_it_is(text: str) -> None:
    assert escape(text) == text


@given(TEXT)
def test_lines_stay_lines(text: str) -> None:
    assert escape(text).split("\n") == [escape(line) for line in text.split("\n")]


@given(st.text(st.characters()))
def test_what_is_escaped_can_be_written(text: str) -> None:
    assert escape(text).encode().decode() == escape(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("exe.\u202efdp", "exe.\\u202efdp"),
        ("caf\udce9", "caf\\xe9"),
        ("a\tb\n\tc", "a       b\n        c"),
        ("über ✓ 👩\u200d💻", "über ✓ 👩\u200d💻"),
    ],
)
def test_how_it_looks(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_colours_of_compilers_are_taken_out() -> None:
    gcc = "\x1b[01m\x1b[Ka.c:1:1:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kno"

    assert without_colours(gcc) == "a.c:1:1: error: no"
    assert without_colours("\x1b[2J\x1b]0;title\x07") == "\x1b[2J\x1b]0;title\x07"
