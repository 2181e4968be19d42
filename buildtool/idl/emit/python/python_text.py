"""Python source text: string literals, docstrings, and tuples over several lines."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

WIDTH = 100
INDENT = "    "


def quoted(text: str) -> str:
    """`text` as a string literal in ASCII."""
    return '"' + text.encode("unicode_escape").decode().replace('"', '\\"') + '"'


def docstring(doc: str, depth: int = 0) -> str:
    """A docstring with the text of `doc`, as a line or several; "" if it is empty."""
    lines = [line.rstrip() for line in doc.strip().splitlines()]
    if not lines:
        return ""
    text = "\n".join(_escaped(line) for line in lines).replace('"""', '\\"\\"\\"')
    if len(lines) > 1:
        text += "\n"
    elif text.endswith('"'):
        text = text[:-1] + '\\"'
    return textwrap.indent(f'"""{text}"""\n', INDENT * depth, lambda line: bool(line.strip()))


def tuple_lines(items: Sequence[str], depth: int) -> str:
    """A tuple with one item on each line, and a comma after it."""
    short = f"{INDENT * depth}({', '.join(items)}{',' if len(items) == 1 else ''}),"
    if len(items) < 2 and len(short) <= WIDTH:
        return short
    inner = "".join(f"{INDENT * (depth + 1)}{item},\n" for item in items)
    return f"{INDENT * depth}(\n{inner}{INDENT * depth}),"


def _escaped(line: str) -> str:
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in line.replace("\\", "\\\\")
    )
