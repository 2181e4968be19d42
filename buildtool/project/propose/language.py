"""The CMake language as far as a listing's text goes: commands and their arguments.

Tolerant: what CMake itself would refuse ends the reading of that file, and what came before it
counts.  Source of the grammar: cmake-language(7), legacy unquoted arguments included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SPACE = re.compile(r"[ \t\r\n]++")
_COMMENT = re.compile(r"#[^\n]*+")
_BRACKET = re.compile(r"\[(=*+)\[\n?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_UNQUOTED = re.compile(r'(?:[^\s()#"\\]|\\.)(?:[^\s()#"\\]|\\.|"(?:[^"\\]|\\.)*+")*+', re.DOTALL)
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument, escapes undone, variables not; `whole` when no `;` in it separates a list,
    `literal` when no variable in it is one."""

    text: str
    whole: bool = False
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One command invocation; its name in lower case, parentheses among arguments as arguments."""

    name: str
    arguments: tuple[Argument, ...]
    line: int


def commands(text: str) -> Iterator[Command]:
    """The commands of `text`, in order."""
    at, line = 0, 1
    while True:
        start = _past_space(text, at)
        line += text.count("\n", at, start)
        at = start
        name = _NAME.match(text, at)
        if not name:
            return
        opening = _past_space(text, name.end())
        if not text.startswith("(", opening):
            return
        read = _arguments(text, opening + 1)
        if read is None:
            return
        arguments, end = read
        yield Command(name[0].lower(), arguments, line)
        line += text.count("\n", at, end)
        at = end


def _past_space(text: str, at: int) -> int:
    """The place of the next thing that is neither space nor comment."""
    while at < len(text):
        if space := _SPACE.match(text, at):
            at = space.end()
        elif text[at] == "#":
            bracket = _bracket(text, at + 1)
            comment = _COMMENT.match(text, at)
            if _BRACKET.match(text, at + 1):
                at = bracket[1] if bracket else len(text)
            else:
                at = comment.end() if comment else len(text)
        else:
            break
    return at


def _arguments(text: str, at: int) -> tuple[tuple[Argument, ...], int] | None:
    """The arguments up to the parenthesis that ends them, and the place behind it."""
    found: list[Argument] = []
    depth = 0
    while (at := _past_space(text, at)) < len(text):
        if text[at] == ")":
            if depth == 0:
                return tuple(found), at + 1
            depth -= 1
            found.append(Argument(")"))
            at += 1
        elif text[at] == "(":
            depth += 1
            found.append(Argument("("))
            at += 1
        elif bracket := _bracket(text, at):
            found.append(Argument(bracket[0], whole=True, literal=True))
            at = bracket[1]
        elif _BRACKET.match(text, at):
            return None
        elif quoted := _QUOTED.match(text, at):
            found.append(Argument(_unescaped(quoted[1]), whole=True))
            at = quoted.end()
        elif unquoted := _UNQUOTED.match(text, at):
            found.append(Argument(_unescaped(unquoted[0])))
            at = unquoted.end()
        else:
            return None
    return None


def _bracket(text: str, at: int) -> tuple[str, int] | None:
    """The content of a bracket `[==[…]==]` and the place behind it."""
    opening = _BRACKET.match(text, at)
    if not opening:
        return None
    closing = f"]{opening[1]}]"
    end = text.find(closing, opening.end())
    return (text[opening.end() : end], end + len(closing)) if end >= 0 else None


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _CONTROL.get(match[1], match[1]), text)
