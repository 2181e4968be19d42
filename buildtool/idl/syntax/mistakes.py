"""Errors of files that do not follow the grammar: what was written, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.idl.errors import IdlError, closest
from buildtool.idl.keywords import C_TYPES, INTEGERS, KEYWORDS, SIZED
from buildtool.idl.preprocess.tokens import Kind, Token
from buildtool.idl.syntax.terminals import DESCRIPTIONS

_DIRECTIONS = ("in", "rout", "inrout")
_TYPES = {*SIZED, *" ".join(INTEGERS).split(), "string", "wstring", "sequence", "dmahandle"}
_OF_FILES = ("module", "interface")
"""The words that begin a definition that no interface or struct contains."""


def syntax_error(tokens: Sequence[Token], at: Token | None, expected: frozenset[str]) -> IdlError:
    """The error for an unexpected token, with a remedy; `at` is None at the end of the file."""
    ended = at is None
    token = tokens[-1] if at is None else at
    before = tuple(tokens) if ended else _before(tokens, token)
    last = before[-1] if before else None
    if last is not None and "SEMI" in expected and (ended or token.starts_line):
        return last.error(
            f"`;` is missing after `{last.text}`", code="idl-syntax", remedy="add `;`"
        )
    if (ended or token.text in _OF_FILES) and (error := _open_brace(tokens, before, token, ended)):
        return error
    if not ended and last is not None and (error := _of_shape(before, token)):
        return error
    words = {word for word, terminal in KEYWORDS.items() if terminal in expected}
    if "SIZED" in expected:
        words |= set(SIZED)
    for each, pool in ((token, words), (last, {*KEYWORDS, *SIZED})):
        if each is None or each.kind is not Kind.NAME or each.text in {*KEYWORDS, *SIZED}:
            continue
        if word := closest(each.text, pool):
            return each.error(f"unexpected `{each.text}`", code="idl-syntax", suggestion=word)
    if last is not None and last.text == "unsigned" and token.text in ("char", "int"):
        return last.error(
            f"`unsigned {token.text}` is not a type here",
            code="idl-syntax",
            suggestion="octet" if token.text == "char" else "unsigned long",
        )
    if token.text in C_TYPES and not ended:
        return token.error(
            f"unexpected `{token.text}`", code="idl-syntax", suggestion=C_TYPES[token.text]
        )
    what = "unexpected end of the file" if ended else f"unexpected `{token.text}`"
    return token.error(what, code="idl-syntax", remedy=_expectation(expected))


def _of_shape(before: Sequence[Token], token: Token) -> IdlError | None:
    """The error of a mistake that the tokens around it show; `before` is not empty."""
    last, text = before[-1], token.text
    if text in ("*", "&") and last.kind is Kind.NAME:
        return token.error(
            "there are no pointers in IDL",
            code="idl-syntax",
            remedy=f"use `sequence<{last.text}>` for an array, or `rout {last.text}` for one value"
            " that is returned",
        )
    direction = before[-2].text if len(before) > 1 else ""
    is_name = last.kind is Kind.NAME and last.text not in {*KEYWORDS, *SIZED}
    if text in _TYPES and is_name and direction in _DIRECTIONS:
        return last.error(
            f"the name `{last.text}` is before its type `{text}`",
            code="idl-syntax",
            remedy=f"write `{direction} {text} {last.text}`",
        )
    if text in ("struct", "enum") and last.text in (*_DIRECTIONS, "<", "(", ","):
        return token.error(
            f"`{text}` is not written where a type is used",
            code="idl-syntax",
            remedy=f"write the name of the {text} without `{text}`",
        )
    if text == ">" and last.text == "<" and direction == "sequence":
        return token.error(
            "this sequence has no type of elements",
            code="idl-syntax",
            remedy="write it between the brackets: `sequence<octet>`",
        )
    return None


def without_statement(tokens: Sequence[Token], at: Token | None) -> tuple[Token, ...]:
    """The tokens without the statement that contains `at`; () if what follows would not make sense.

    A statement ends with `;`, or before the `}` of what contains it.
    """
    index = _index(tokens, at)
    if at is None or index is None or at.text in _OF_FILES:
        return ()
    start = index
    while start > 0 and tokens[start - 1].text not in (";", "{", "}"):
        start -= 1
    end, depth = index, 0
    while end < len(tokens):
        text = tokens[end].text
        if text == "}" and depth == 0:
            break
        depth += (text == "{") - (text == "}")
        end += 1
        if text == ";" and depth == 0:
            break
    emptied = start > 0 and end < len(tokens) and tokens[start - 1].text == "{"
    if end == start or (emptied and tokens[end].text == "}"):
        return ()  # structs, enums and modules have contents
    return (*tokens[:start], *tokens[end:])


def _index(tokens: Sequence[Token], token: Token | None) -> int | None:
    """The index of a token, which is not that of an equal one; None if it is not there."""
    return next((index for index, each in enumerate(tokens) if each is token), None)


def _before(tokens: Sequence[Token], token: Token) -> tuple[Token, ...]:
    index = _index(tokens, token)
    return tuple(tokens[: index or 0])


def _open_brace(
    tokens: Sequence[Token], before: Sequence[Token], at: Token, ended: bool
) -> IdlError | None:
    """The error of a `{` that is not closed, if the file has one."""
    opened: list[Token] = []
    for token in before:
        if token.text == "{":
            opened.append(token)
        elif token.text == "}" and opened:
            opened.pop()
    texts = [token.text for token in tokens]
    if not opened or texts.count("{") <= texts.count("}"):
        return None
    place = opened[-1].location
    return at.error(
        "`}` is missing at the end of the file" if ended else f"`}}` is missing before `{at.text}`",
        code="idl-syntax",
        why=f"the `{{` at {place.file}:{place.line}:{place.column} is not closed",
        remedy="add `};`",
    )


def _expectation(expected: frozenset[str]) -> str:
    """The remedy that lists what is expected; long lists are cut."""
    # Descriptions such as `a name` before keywords, which start with a backtick.
    descriptions = {DESCRIPTIONS.get(name, name.lower()) for name in expected}
    names = sorted(descriptions, key=lambda text: (text.startswith("`"), text))
    if not names:
        return "remove it"
    shown = ", ".join(names[:8])
    return f"expected {shown}{', …' if len(names) > 8 else ''}"
