"""What is known of failures: conditions, with the codes and lines of logs that show them.

The folder `knowledge` has them as TOML, one table a condition.  What is read here is
knowledge.json, which is made of it and of the codes of AEEStdErr.h: to parse the TOML would take
several times as long as everything else that `buildtool explain CODE` does.  A test keeps both the
same.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.explanations import ConditionObject

FILE = Path(__file__).with_name("knowledge.json")
CAUSE, CONSEQUENCE, BENIGN, UNKNOWN = "cause", "consequence", "benign", "unknown"
"""Classes of conditions: a cause; what follows from one; what has nothing to do with a failure; a
symptom that has several causes."""
CLASSES = (CAUSE, CONSEQUENCE, BENIGN, UNKNOWN)
SIM, BOARD, PHONE, WINDOWS = "sim", "board", "phone", "windows"
DEVICES = (SIM, BOARD, PHONE, WINDOWS)
"""Kinds of devices that have conditions of their own."""
SURE = ("code", "maintainer", "user")
"""Where a condition is from: read in code, said by a maintainer, reported by a user."""


class Cause(Value):
    """One cause of a condition, the check that tells it from the others, and what to do."""

    cause: str
    check: str
    remedy: str


class Condition(Value):
    """A condition; `patterns` are those of lines of logs (see `line_patterns`).

    With `needs_code` its lines count only in a log that has one of its codes; they do not count in
    one that shows a condition of `unless`.  `checks` are the checks of a device or a release that
    fail when the condition holds.  With `errno` a small number in its lines is an errno of the
    system, not a code of FastRPC.  `devices` are the kinds of devices that can have it; () if all
    can.
    """

    name: str
    kind: str
    meaning: str
    codes: tuple[int, ...]
    patterns: tuple[str, ...]
    causes: tuple[Cause, ...]
    source: tuple[str, ...]
    sure: str
    needs_code: bool = False
    unless: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    errno: bool = False
    devices: tuple[str, ...] = ()

    def as_json(self) -> ConditionObject:
        """The condition as an object of the document of `explain`."""
        return {
            "name": self.name,
            "class": self.kind,
            "meaning": self.meaning,
            "codes": [f"0x{code:x}" for code in self.codes],
            "causes": [cause._asdict() for cause in self.causes],  # type: ignore[misc]
            "source": list(self.source),
            "sure": self.sure,
            "devices": list(self.devices),
        }


class Knowledge(Value):
    """All conditions and codes; `content` is what knowledge.json has."""

    content: dict[str, Any]

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        """The conditions by name, in the order of their files."""
        return {name: self.condition(name) for name in self.content["conditions"]}

    def condition(self, name: str) -> Condition:
        """The condition of that name; raises `KeyError`."""
        row = self.content["conditions"][name]
        return Condition(
            name,
            row["class"],
            row["meaning"],
            tuple(row["codes"]),
            tuple(row["patterns"]),
            tuple(Cause(*cause) for cause in row["causes"]),
            tuple(row["source"]),
            row["sure"],
            row["needs_code"],
            tuple(row["unless"]),
            tuple(row["checks"]),
            row["errno"],
            tuple(row["devices"]),
        )

    def with_code(self, code: int) -> tuple[Condition, ...]:
        """The conditions that list `code`: those first that all devices can have, then those from
        the surest source, then those that list it first."""
        rows = self.content["conditions"]
        found = [self.condition(name) for name, row in rows.items() if code in row["codes"]]
        return tuple(
            sorted(
                found,
                key=lambda c: (bool(c.devices), SURE.index(c.sure), c.codes.index(code) > 0),
            )
        )


def read_knowledge() -> Knowledge:
    """The knowledge of this version of buildtool."""
    return Knowledge(json.loads(FILE.read_bytes()))
