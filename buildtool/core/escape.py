"""Escapes control characters in text, so that a name cannot control a terminal."""

from __future__ import annotations

import re

# Marks that reorder text (Unicode Standard Annex #9), and separators that end a line for Python's
# splitlines() but not for tools.
_MARKS = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_control(character: str) -> bool:
    """Whether a character is a control character (C0, DEL, C1), reorders text, or stands for a byte
    that is not UTF-8."""
    code = ord(character)
    return (
        code < 0x20
        or 0x7F <= code < 0xA0
        or character in _MARKS
        or 0xD800 <= code < 0xE000  # surrogates: see PEP 383
    )


def escape(text: str) -> str:
    r"""`text` with control characters as Python writes them: `\x1b`, `\u202e`.

    Line breaks are kept, and tabs become spaces.
    """
    if text.isprintable():
        return text
    return "".join(
        _written_out(character) if is_control(character) and character != "\n" else character
        for character in text.expandtabs()
    )


def escape_line(text: str) -> str:
    """`escape(text)` with line breaks written out, too: a name cannot add a line."""
    return escape(text).replace("\n", "\\n")


def without_colours(text: str) -> str:
    """The output of a tool without colours: a project can make tools print them always.

    Source: ECMA-48, SGR; and EL, which GCC prints too.
    """
    return re.sub(r"\x1b\[[0-9;:]*[mK]", "", text) if "\x1b" in text else text


def _written_out(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
