"""Comments of CMake files are blank, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.propose.comments import without_comments


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a # b\nc", "a \nc"),
        ("a #[[ b\nc ]] d", "a \n d"),
        ("a #[==[ ]] ]=] ]==] b", "a  b"),
        ("a #[==[ without\nan end", "a \n"),
        ('set(a "# no \\" #comment") # one', 'set(a "# no \\" #comment") '),
        ("a \\# b # c", "a \\# b "),
        ('"without an end # a', '"without an end # a'),
        ("#[=a line", ""),
    ],
)
def test_comments(text: str, left: str) -> None:
    assert without_comments(text) == left


@given(st.lists(st.sampled_from(["#", "[", "=", "]", '"', "\\", "\n", "a", " "])).map("".join))
def test_lines_keep_their_numbers(text: str) -> None:
    assert without_comments(text).count("\n") == text.count("\n")
