"""Rules of `buildtool lint`, and what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.contract.finding import Rule
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.linting import LintFindingObject, LintRuleObject


class Place(Value):
    """A place in a file: path, line and column from 1."""

    path: str
    line: int
    column: int


class LintFinding(Value):
    """One mistake at one place.  `message` is what happened, `why` its consequence."""

    rule: str
    place: Place
    message: str
    why: str
    remedy: str

    def as_json(self) -> LintFindingObject:
        return {
            "rule": self.rule,
            "path": self.place.path,
            "line": self.place.line,
            "column": self.place.column,
            "message": self.message,
            "why": self.why,
            "remedy": self.remedy,
        }


class LintRule(Rule):
    """A rule about sources; its `text` is the docstring of its module, as in `Rule`.

    `source` says where the reason is from.  `wrong` is code that the rule finds and `right` such
    code corrected, both of `language`: idl, c or sh.  `condition` is what `buildtool explain`
    calls the failure.
    """

    source: tuple[str, ...] = ()
    remedy: str = ""
    language: str = "c"
    wrong: str = ""
    right: str = ""
    condition: str = ""

    def at(self, place: Place, message: str, why: str, remedy: str = "") -> LintFinding:
        return LintFinding(self.name, place, message, why, remedy or self.remedy)

    def as_json(self) -> LintRuleObject:
        return {
            "name": self.name,
            "requirement": self.requirement,
            "reason": self.reason,
            "source": list(self.source),
            "remedy": self.remedy,
            "language": self.language,
            "wrong": self.wrong,
            "right": self.right,
            "condition": self.condition or None,
        }
