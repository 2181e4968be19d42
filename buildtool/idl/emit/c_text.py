"""C source text: layout with lines of up to 100 columns, and literals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from buildtool.idl.layout.types import strip_typedefs
from buildtool.idl.model import Constant, Primitive, String

WIDTH = 100
INDENT = "    "
SUFFIXES = {
    Primitive.LONGLONG: "ll",
    Primitive.INT64: "ll",
    Primitive.ULONGLONG: "ull",
    Primitive.UINT64: "ull",
    Primitive.ULONG: "u",
    Primitive.UINT32: "u",
}


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
    """`if (a || b) { body }`, with one condition on each line; [] without conditions."""
    if not conditions:
        return []
    joined = f" ||\n{INDENT}".join(conditions)
    return [f"if ({joined}) {{", block(body), "}"]


def function(signature: str, body: Iterable[str]) -> str:
    """A whole function definition."""
    return f"{signature}\n{{\n{block(body)}\n}}\n"


def literal(constant: Constant) -> str:
    """The value as a C expression of the constant's type, valid inside any expression."""
    type_, value = strip_typedefs(constant.type), constant.value
    if isinstance(value, str):
        wide = type_ is Primitive.WCHAR or (isinstance(type_, String) and type_.wide)
        return ("L" if wide else "") + quoted(value, '"' if isinstance(type_, String) else "'")
    if type_ is Primitive.BOOLEAN:
        return "TRUE" if value else "FALSE"
    if type_ is Primitive.FLOAT:
        return _signed(f"{float(value)!r}f")
    if type_ is Primitive.DOUBLE:
        return _signed(repr(float(value)))
    suffix = SUFFIXES.get(type_, "") if isinstance(type_, Primitive) else ""
    return _integer(int(value), suffix)


def quoted(text: str, quote: str = '"') -> str:
    """`text` as a C string or character literal without its prefix.

    Characters are bytes, or UTF-16 units of a wide string.  `??` is split, because it could start
    a trigraph.
    """
    parts = [quote]
    for char in text:
        code = ord(char)
        if char in ("\\", quote):
            parts.append("\\" + char)
        elif " " <= char <= "~":
            parts.append(char)
        elif code < 0o1000:
            parts.append(f"\\{code:03o}")
        elif code < 0x10000 and not 0xD800 <= code < 0xE000:
            parts.append(f"\\u{code:04x}")
        else:
            parts.append(f"\\x{code:x}" + ('" L"' if quote == '"' else ""))
    return "".join([*parts, quote]).replace("??", "?\\?")


def _integer(value: int, suffix: str) -> str:
    # The most negative value has no literal: in -N, N is out of range.
    if value in (-(2**31), -(2**63)):
        return f"({value + 1}{suffix} - 1)"
    return _signed(f"{value}{suffix}")


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
