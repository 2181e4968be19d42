"""The terminals of the grammar, and errors of files that do not follow it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from buildtool.idl.errors import IdlError, closest
from buildtool.idl.keywords import C_TYPES, INTEGERS, KEYWORDS, REJECTED, SIZED
from buildtool.idl.preprocess.tokens import Kind, Token

MAX_NESTING = 64

PUNCTUATION = {
    ";": "SEMI",
    ",": "COMMA",
    "{": "_LBRACE",
    "}": "_RBRACE",
    "(": "_LPAR",
    ")": "_RPAR",
    "[": "_LBRACKET",
    "]": "_RBRACKET",
    "<": "_LESS",
    ">": "_GREATER",
    ":": "_COLON",
    "::": "SCOPE",
    "=": "_EQUAL",
    "|": "PIPE",
    "^": "CARET",
    "&": "AMPERSAND",
    "<<": "SHIFT_LEFT",
    ">>": "SHIFT_RIGHT",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
    "/": "SLASH",
    "%": "PERCENT",
    "~": "TILDE",
}

_INTEGER = re.compile(r"(?:0[xX][0-9A-Fa-f]+|[0-9]+)(?:[uU][lL]{0,2}|[lL]{1,2}[uU]?)?")
_FLOAT = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?[fF]?")

DESCRIPTIONS = (
    {terminal: f"`{text}`" for text, terminal in PUNCTUATION.items()}
    | {terminal: f"`{word}`" for word, terminal in KEYWORDS.items()}
    | {PUNCTUATION[text]: "an operator" for text in ("<<", ">>", *"|^&+-*/%~")}
    | {
        "NAME": "a name",
        "SIZED": "a basic type",
        "INTEGER": "a number",
        "FLOAT": "a number",
        "STRING": "a text",
        "WSTRING_TEXT": "a text",
        "CHAR_TEXT": "a character",
        "WCHAR_TEXT": "a character",
        "$END": "the end of the file",
    }
)


def terminals(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """The tokens, each with the name of its terminal.

    Inside `sequence<…>` and `string<…>`, outside parentheses, `>>` becomes two `>`, as in C++.

    Raises IdlError: a character, number or word that is not part of the language, or nesting deeper
    than MAX_NESTING.
    """
    open_brackets: list[str] = []
    for index, token in enumerate(tokens):
        if token.text in ("{", "(", "[", "<"):
            open_brackets.append(token.text)
            if len(open_brackets) > MAX_NESTING:
                raise token.error(
                    "this is nested too deeply", code="idl-limit", remedy="flatten it"
                )
        elif token.text == ">>" and open_brackets[-1:] == ["<"]:
            del open_brackets[-2:]
            yield "_GREATER", Token(Kind.PUNCTUATION, ">", token.source, token.offset)
            second = Token(Kind.PUNCTUATION, ">", token.source, token.offset + 1)
            second.trailing = token.trailing
            yield "_GREATER", second
            continue
        elif token.text in ("}", ")", "]", ">") and open_brackets:
            open_brackets.pop()
        if token.text in REJECTED and _is_name(tokens, index):
            raise token.error(
                f"`{token.text}` is a reserved word",
                code="idl-unsupported",
                remedy="choose another name",
            )
        yield _terminal(token), token


def _is_name(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word stands where a declaration has its name: after a type, and before its end."""
    before = tokens[index - 1] if index else None
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    is_type = before is not None and (before.kind is Kind.NAME or before.text == ">")
    return is_type and after in (",", ")", ";", "[", "=")


def _terminal(token: Token) -> str:
    text = token.text
    match token.kind:
        case Kind.NAME:
            if text in REJECTED:
                message, remedy = REJECTED[text]
                raise token.error(message, code="idl-unsupported", remedy=remedy)
            return KEYWORDS.get(text) or ("SIZED" if text in SIZED else "NAME")
        case Kind.NUMBER:
            if _INTEGER.fullmatch(text):
                return "INTEGER"
            if _FLOAT.fullmatch(text):
                return "FLOAT"
            raise token.error(f"`{text}` is not a number", code="idl-number")
        case Kind.STRING:
            return "WSTRING_TEXT" if text.startswith("L") else "STRING"
        case Kind.CHAR:
            return "WCHAR_TEXT" if text.startswith("L") else "CHAR_TEXT"
        case Kind.PUNCTUATION if text in PUNCTUATION:
            return PUNCTUATION[text]
    if (quote := text.removeprefix("L")[:1]) in ("'", '"'):
        raise token.source.error(
            token.offset,
            f"this {quote} is not closed",
            code="idl-character",
            remedy="close it on its line",
        )
    shown = f"`{text}`" if text.isprintable() and text.isascii() else f"the character {text!a}"
    raise token.error(f"{shown} is not allowed here", code="idl-character", remedy="remove it")


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
