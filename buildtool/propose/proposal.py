"""A proposed project file: tables and lines, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
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
    """One table of the project file: its name in TOML, the evidence for it, its lines.

    A table with a reason in `off` cannot be used unchanged; it is written as a comment.
    """

    name: str
    why: str
    lines: tuple[Line, ...]
    off: Unknown | None = None

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
        return any(name.startswith(("host.", "skel.")) for name in active)
