"""The CMake language, as far as its text goes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.project.propose.language import commands
from buildtool.project.propose.tree import MAX_BYTES


def read(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(c.name, tuple(a.text for a in c.arguments)) for c in commands(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Project( demo\n  C )", [("project", ("demo", "C"))]),
        ("set(a b) # set(c d)\nset(e)", [("set", ("a", "b")), ("set", ("e",))]),
        ("#[[ set(a)\n]] set(b)", [("set", ("b",))]),
        ("set(a #[=[ ) ]] ]=] b)", [("set", ("a", "b"))]),
        ("set(a [==[ x ]] ; \\n ]==])", [("set", ("a", " x ]] ; \\n "))]),
        ('set(a "b c;\\"d\\" # no comment" e)', [("set", ("a", 'b c;"d" # no comment', "e"))]),
        ('set(a "one \\\n two")', [("set", ("a", "one  two"))]),
        ('add(-DX="a b" $<IF:1,2>)', [("add", ('-DX="a b"', "$<IF:1,2>"))]),
        ("if(NOT (A AND B))", [("if", ("NOT", "(", "A", "AND", "B", ")"))]),
        ("set (a)\r\nset(b)", [("set", ("a",)), ("set", ("b",))]),
    ],
)
def test_commands_and_their_arguments(text: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    assert read(text) == found


@pytest.mark.parametrize("broken", ['set(b "c)', "set(b", "set b)", "set(b [[c)", "= set(b)", "x"])
def test_what_cmake_would_refuse_ends_the_reading(broken: str) -> None:
    assert read(f"set(a)\n{broken}\nset(z)") == [("set", ("a",))]


def test_lines_are_those_where_commands_begin() -> None:
    text = "# one\nset(a\n  b)\n\nif(c)#[[\n]]\nset(d)"
    assert [(c.name, c.line) for c in commands(text)] == [("set", 2), ("if", 5), ("set", 7)]


def test_quoted_arguments_are_whole_and_brackets_are_literal() -> None:
    (command,) = commands('set(a;b "a;b" [[${a}]])')
    assert [(a.whole, a.literal) for a in command.arguments] == [
        (False, False),
        (True, False),
        (True, True),
    ]


@given(st.text(alphabet='ab()"\\#[]=${}; \n\t', max_size=200))
def test_any_text_is_read_to_an_end(text: str) -> None:
    for command in commands(text):
        assert 1 <= command.line <= text.count("\n") + 1


@pytest.mark.parametrize(
    "piece", ["(", '"', "[", "[=", "#[", "a(", '\\"', 'a"', "${", "a()", "#[[\n"]
)
def test_a_whole_file_of_anything_is_read_in_time(piece: str) -> None:
    started = time.monotonic()
    for _ in commands("a(" + piece * (MAX_BYTES // len(piece))):
        pass
    assert time.monotonic() - started < 20
