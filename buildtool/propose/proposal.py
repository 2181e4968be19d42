"""A proposed project file as values: each line with why it is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from buildtool.core.value import Value
from buildtool.project.model import Define

TomlValue = str | bool | tuple[str, ...] | Mapping[str, Define]


class Line(Value):
    """One key of a table; one that is not `sure` is written as a comment, for a person to take."""

    key: str
    value: TomlValue
    why: str = ""
    sure: bool = True


class Unknown(Value):
    """What could not be told, and what to do about it."""

    what: str
    remedy: str


class Table(Value):
    """One table of the project file: its name as in TOML, what it was made of, its lines.

    One that cannot be taken as it is has the reason in `off`; it is written as a comment.
    """

    name: str
    why: str
    lines: tuple[Line, ...]
    off: Unknown | None = None

    def get(self, key: str, default: Any) -> Any:
        """What the table says of `key`."""
        return next((line.value for line in self.lines if line.key == key and line.sure), default)


class Proposal(Value):
    """A project file for an existing tree."""

    tables: tuple[Table, ...]
    unknown: tuple[Unknown, ...] = ()
