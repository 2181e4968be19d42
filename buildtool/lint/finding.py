"""What `buildtool lint` finds, and the rules that find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

from buildtool.contract.finding import RuleText
from buildtool.core.value import Described, computed
from buildtool.lint.c_tokens import Place
from buildtool.lint.subject import Subject


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
    source: Annotated[tuple[str, ...], "where the reason is from"] = ()
    remedy: Annotated[str, "what to do"] = ""
    language: Annotated[str, "language of the examples", ("c", "idl", "sh")] = "c"
    wrong: Annotated[str, "code that it finds"] = computed(lambda self: self.example("wrong"))
    right: Annotated[str, "the same code corrected"] = computed(lambda self: self.example("right"))
    condition: Annotated[str | None, "name of the failure for `explain`; null if it has none"] = (
        None
    )

    def example(self, which: str) -> str:
        """The example that is `wrong` or `right`."""
        file = f"{self.name}.{which}.{self.language}.txt"
        return (Path(__file__).parent / "rules" / "examples" / file).read_text(encoding="utf-8")

    def at(self, place: Place, message: str, why: str, remedy: str = "") -> LintFinding:
        return LintFinding(self.name, place, message, why, remedy or self.remedy)


def rule(
    name: str,
    *,
    source: tuple[str, ...] = (),
    remedy: str = "",
    language: str = "c",
    condition: str | None = None,
) -> Callable[[Callable[[Subject], Iterator[LintFinding]]], LintRule]:
    """Make a rule of the function that finds mistakes; its docstring is the rule's text."""
    return lambda find: LintRule(name, find.__doc__, find, source, remedy, language, condition)
