"""Text with every control character written out, so that a name cannot drive a terminal."""

from __future__ import annotations

import re

# C0, DEL and C1; the marks that reorder text (Unicode Standard Annex #9); the two line separators,
# which end a line for Python's splitlines() but not for tools; bytes that are not UTF-8, as Python
# decodes them (PEP 383).
CONTROLS = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
"""What `escape` writes out, line breaks too: the inside of a regular expression's brackets."""
_WRITTEN_OUT = re.compile(rf"(?!\n)[{CONTROLS}]")
_COLOURS = re.compile(r"\x1b\[[0-9;:]*[mK]")  # ECMA-48: SGR, and EL, which GCC adds


def escape(text: str) -> str:
    r"""`text` with control characters as Python writes them: `\x1b`, `\u202e`.

    Line breaks stay, tabs become blanks.  A text without control characters is returned as it is.
    """
    return _WRITTEN_OUT.sub(_written_out, text.expandtabs() if "\t" in text else text)


def without_colours(text: str) -> str:
    """What a tool printed, without the colours that a project may have it print always."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
