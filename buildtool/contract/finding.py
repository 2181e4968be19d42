"""Rules and what they find, also as SARIF 2.1.0, which code hosts and editors show beside the
files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from buildtool import __version__
from buildtool.core.value import Described, computed

if TYPE_CHECKING:
    from buildtool.contract.subject import Subject


ERROR, WARNING = "error", "warning"
AnyRule = TypeVar("AnyRule", bound="RuleText")


class Finding(Described):
    """One problem of one file."""

    rule: Annotated[str, "name of the rule"]
    severity: Annotated[str, "a warning does not change the exit status", ("error", "warning")]
    path: Annotated[str, 'path below what was inspected; "" for all of it']
    message: Annotated[str, "what is wrong"]
    why: Annotated[str, "the cause, in one line or several"]
    remedy: Annotated[str, "what to do"]


class RuleText(Described):
    """The name of a rule, and as `text` what it requires and the reason: its docstring."""

    name: Annotated[str, "name of the rule"]
    text: str | None
    requirement: Annotated[str, "what it requires"] = computed(lambda self: _part(self.text, 0))
    reason: Annotated[str, "why"] = computed(lambda self: _part(self.text, 2))


def _part(text: str | None, part: int) -> str:
    """The first paragraph of `text`, or with `part` 2 the rest, in one line."""
    return " ".join((text or "").partition("\n\n")[part].split())


class Rule(RuleText):
    """A rule of releases, which `find` applies to a subject."""

    find: Callable[[Subject], Iterator[Finding]]
    code: str  # of the error if a build fails because of it
    foreign: str  # the severity of its errors in files that are not a release

    def check(self, subject: Subject) -> Iterator[Finding]:
        """The violations of the rule in the subject."""
        for finding in self.find(subject):
            is_foreign = finding.severity == ERROR and not subject.is_release
            yield finding._replace(severity=self.foreign) if is_foreign else finding

    def error(self, path: str, message: str, *, why: str, remedy: str) -> Finding:
        return Finding(self.name, ERROR, path, message, why, remedy)

    def warning(self, path: str, message: str, *, why: str, remedy: str) -> Finding:
        return Finding(self.name, WARNING, path, message, why, remedy)


def rule(
    name: str, *, code: str = "contract", foreign: str = ERROR
) -> Callable[[Callable[[Subject], Iterator[Finding]]], Rule]:
    """Make a rule of the function that finds its violations; the docstring is the rule's text."""
    return lambda find: Rule(name, find.__doc__, find, code, foreign)


def rules_of(kind: type[AnyRule], *modules: ModuleType) -> Iterator[AnyRule]:
    """The rules of a kind that modules define, in the order of their source."""
    for module in modules:
        yield from (each for each in vars(module).values() if isinstance(each, kind))


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif_document(rules: Iterable[RuleText], results: list[dict[str, Any]]) -> dict[str, Any]:
    """A SARIF document with one run.  Source: SARIF 2.1.0, OASIS standard."""
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "buildtool",
                        "version": __version__,
                        "rules": [_sarif_rule(rule) for rule in rules],
                    }
                },
                "results": results,
            }
        ],
    }


def _sarif_rule(rule: RuleText) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.requirement},
        "fullDescription": {"text": f"{rule.requirement} {rule.reason}"},
    }


def sarif_uri(path: str) -> str:
    """A path as a URI, relative if the path is."""
    from urllib.parse import quote  # noqa: PLC0415 - only SARIF needs it

    return quote(path.encode(errors="surrogateescape"))
