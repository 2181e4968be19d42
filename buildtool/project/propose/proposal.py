"""A proposed project file as values: each line with why it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = str | bool | tuple[str, ...] | Mapping[str, str | bool]


@dataclass(frozen=True, slots=True)
class Line:
    """One key of a table; one that is not `sure` is written as a comment, for a person to take."""

    key: str
    value: Value
    why: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the project file: its name as in TOML, what it was made of, its lines."""

    name: str
    why: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """What could not be told, and what to do about it."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A project file for an existing tree."""

    tables: tuple[Table, ...]
    unknown: tuple[Unknown, ...] = field(default=())
