"""Comments of CMake files; source of the grammar: cmake-language(7)."""

from __future__ import annotations

import re

# A quotation mark without its fellow runs to the end, so no text is read twice.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|\\.|#\[(=*+)\[|#[^\n]*+', re.DOTALL)


def without_comments(text: str) -> str:
    """`text` with each comment replaced by its line breaks: lines keep their numbers."""
    parts: list[str] = []
    at = 0
    while token := _TOKEN.search(text, at):
        parts.append(text[at : token.start()])
        end = token.end()
        if token[1] is not None:
            closing = text.find(f"]{token[1]}]", end)
            end = closing + len(token[1]) + 2 if closing >= 0 else len(text)
        if token[0].startswith("#"):
            parts.append("\n" * text.count("\n", token.start(), end))
        else:
            parts.append(token[0])
        at = end
    return "".join([*parts, text[at:]])
