"""A proposed project file: tables and lines, each with its reason.

Its text is a commented buildtool.toml.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from buildtool.core.value import Value
from buildtool.project.keys import Define

TomlValue = str | bool | tuple[str, ...] | Mapping[str, Define]


class Line(Value):
    """One key of a table; if it is not `sure`, it is written as a comment."""

    key: str
    value: TomlValue
    why: str = ""
    sure: bool = True


class Unknown(Value):
    """Something that could not be determined, and what to do about it."""

    what: str
    remedy: str


class Table(Value):
    """One table of the project file."""

    name: str  # in TOML
    why: str  # the evidence for it
    lines: tuple[Line, ...]
    off: Unknown | None = None  # why it cannot be used unchanged; it is written as a comment

    def get(self, key: str, default: Any) -> Any:
        """The value of `key`, or `default`."""
        return next((line.value for line in self.lines if line.key == key and line.sure), default)


class Proposal(Value):
    """A proposed project file for an existing tree, and what could not be determined."""

    tables: tuple[Table, ...]
    unknown: tuple[Unknown, ...] = ()

    @property
    def builds(self) -> bool:
        """Whether a component is proposed that is not written as a comment."""
        active = (table.name for table in self.tables if not table.off)
        return any(name.startswith(("host.", "skel.", "dsp.")) for name in active)


HEAD = "Proposed by buildtool init from the files here; comments give the reasons."
NEXT = "Check it, then try it: buildtool build --plan"
WIDTH = 98


def toml_text(proposal: Proposal) -> str:
    """The project file; "" for a proposal without tables."""
    if not proposal.tables:
        return ""
    lines = _comment_lines(HEAD)
    if proposal.builds:
        lines += _comment_lines(NEXT)
    for table in proposal.tables:
        lines += ["", *_table(table)]
    if proposal.unknown:
        lines.append("")
    for row in proposal.unknown:
        lines += _comment_lines(f"{row.what}. {row.remedy}")
    return "\n".join(lines) + "\n"


def _table(table: Table) -> Iterator[str]:
    if table.why:
        yield from _comment_lines(table.why)
    if table.off:
        yield from _comment_lines(f"{table.off.what}. {table.off.remedy}")
    written = [f"[{table.name}]", *(text for line in table.lines for text in _line(line))]
    for line in "\n".join(written).split("\n"):
        yield f"# {line}" if table.off else line


def _line(line: Line) -> Iterator[str]:
    if line.why:
        yield from _comment_lines(line.why)
    written = f"{line.key} = {_value(line.value)}"
    yield from [written] if line.sure else _comment_lines(written)


def _comment_lines(words: str) -> list[str]:
    # TOML does not allow control characters in comments.
    plain = "".join(c if c.isprintable() else "?" for c in words)
    lines = textwrap.wrap(plain, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in lines]


def _value(value: TomlValue | int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    one = "[" + ", ".join(map(_string, value)) + "]"
    if len(one) < WIDTH - 20:
        return one
    return "[\n" + "".join(f"  {_string(item)},\n" for item in value) + "]"


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else _string(name)


def _string(value: str) -> str:
    """A basic string of TOML, on one line."""
    return '"' + "".join(map(_character, value)) + '"'


def _character(c: str) -> str:
    if c in '"\\':
        return f"\\{c}"
    return c if c.isprintable() else f"\\U{ord(c):08x}"
