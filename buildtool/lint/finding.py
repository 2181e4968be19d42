"""What `buildtool lint` finds, and the rules that find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

from buildtool.contract.finding import RuleText
from buildtool.core.value import Described, computed
from buildtool.lint.c_tokens import Place
from buildtool.lint.subject import Subject

if TYPE_CHECKING:
    from buildtool.documents.inspection import LintRuleObject


class LintFinding(Described):
    """One mistake at one place.  `message` is what happened, `why` its consequence."""

    rule: Annotated[str, "name of the rule"]
    path: Annotated[str, "path of the file, relative to the project"] = computed(
        lambda self: self.place.path
    )
    line: Annotated[int, "line, from 1"] = computed(lambda self: self.place.line)
    column: Annotated[int, "column, from 1"] = computed(lambda self: self.place.column)
    place: Place
    message: Annotated[str, "what is wrong"]
    why: Annotated[str, "what follows from it"]
    remedy: Annotated[str, "what to do"]


class LintRule(RuleText):
    """A rule about sources, which `find` applies to a subject."""

    find: Callable[[Subject], Iterator[LintFinding]]
    source: tuple[str, ...] = ()  # where the reason is from
    remedy: str = ""
    language: str = "c"  # of `wrong` and `right`: idl, c or sh
    wrong: str = ""  # code that the rule finds
    right: str = ""  # such code corrected
    condition: str = ""  # what `buildtool explain` calls the failure

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


def rule(
    name: str,
    *,
    source: tuple[str, ...] = (),
    remedy: str = "",
    language: str = "c",
    wrong: str = "",
    right: str = "",
    condition: str = "",
) -> Callable[[Callable[[Subject], Iterator[LintFinding]]], LintRule]:
    """Make a rule of the function that finds mistakes; its docstring is the rule's text."""
    return lambda find: LintRule(
        name, find.__doc__, find, source, remedy, language, wrong, right, condition
    )


def rules_of(*modules: ModuleType) -> Iterator[LintRule]:
    """The rules that modules define, in the order of their source."""
    for module in modules:
        yield from (each for each in vars(module).values() if isinstance(each, LintRule))
