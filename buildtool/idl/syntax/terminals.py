"""Maps preprocessing tokens to the grammar's terminals, and terminals to descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from buildtool.idl.keywords import KEYWORDS, REJECTED, SIZED
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

    Raises:
        IdlError: a character, number or word that is not part of the language, or nesting deeper
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
