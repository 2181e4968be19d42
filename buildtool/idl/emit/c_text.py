"""Laying out C text: indenting, and filling lines up to 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 100
INDENT = "    "


def fill(head: str, items: Sequence[str], tail: str, *, width: int = WIDTH) -> str:
    """`head(item, item…)tail`, broken after commas where a line would become too long."""
    lines, line = [], f"{head}("
    for at, item in enumerate(items):
        last = at == len(items) - 1
        piece = item + (f"){tail}" if last else ",")
        if at > 0 and len(line) + 1 + len(piece) > width:
            lines.append(line)
            line = INDENT + piece
        else:
            line += (" " if at > 0 else "") + piece
    if not items:
        line += f"){tail}"
    return "\n".join([*lines, line])


def block(lines: Iterable[str]) -> str:
    """Lines (or groups of them) one level deeper; empty lines stay empty."""
    text = "\n".join(lines)
    return textwrap.indent(text, INDENT, lambda line: bool(line.strip()))


def if_any(conditions: Sequence[str], body: Iterable[str]) -> list[str]:
    """`if (a || b) { body }`, one condition a line when there are several; nothing for none."""
    if not conditions:
        return []
    joined = f" ||\n{INDENT}".join(conditions)
    return [f"if ({joined}) {{", block(body), "}"]


def function(signature: str, body: Iterable[str]) -> str:
    """A whole function definition."""
    return f"{signature}\n{{\n{block(body)}\n}}\n"
