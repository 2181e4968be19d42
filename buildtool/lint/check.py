"""All rules of `buildtool lint` in the order in which they are listed, and their findings.

The last rule finds mistakes in the comments that silence others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from buildtool.contract.finding import rules_of, sarif_document, sarif_uri
from buildtool.core.value import Value
from buildtool.lint.c_tokens import Place
from buildtool.lint.finding import LintFinding, LintRule, rule
from buildtool.lint.rules import interfaces, memory, programs, search_paths
from buildtool.lint.subject import Silence, Subject


class LintResult(Value):
    """The findings by place; `skipped` has the reason for each file that was not read, and
    `silenced` is the number of findings that comments silence."""

    findings: tuple[LintFinding, ...]
    files: int
    silenced: int
    skipped: Mapping[str, str]


def lint(subject: Subject) -> LintResult:
    """Apply all rules."""
    found = [finding for each in RULES for finding in each.find(subject)]
    left = without_silenced(found, subject.silences)
    left.sort(key=lambda finding: (finding.place, finding.rule))
    return LintResult(tuple(left), subject.files, len(found) - len(left), subject.skipped)


def without_silenced(
    findings: Iterable[LintFinding], silenced: Iterable[Silence]
) -> list[LintFinding]:
    """The findings that no comment silences."""
    places = {(each.path, each.line, name) for each in silenced for name in each.rules}
    return [f for f in findings if (f.place.path, f.place.line, f.rule) not in places]


def lint_sarif(result: LintResult) -> dict[str, Any]:
    """The SARIF 2.1.0 document, for code hosts; files are relative to the project."""
    numbers = {rule.name: number for number, rule in enumerate(RULES)}
    results = [
        {
            "ruleId": each.rule,
            "ruleIndex": numbers[each.rule],
            "level": "warning",
            "message": {"text": f"{each.message}: {each.why}.\n{each.remedy}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": sarif_uri(each.place.path)},
                        "region": {"startLine": each.place.line, "startColumn": each.place.column},
                    }
                }
            ],
        }
        for each in result.findings
    ]
    return sarif_document(RULES, results)


@rule(
    "lint-comment",
    source=("docs/lint.md",),
    remedy="Write: buildtool-lint: ignore RULE; `buildtool lint --list` has the rules.",
)
def lint_comment(subject: Subject) -> Iterator[LintFinding]:
    """A comment that silences a rule names one that exists.

    A misspelled name silences nothing, and nobody notices.
    """
    names = [each.name for each in RULES]
    for silence in subject.silences:
        if silence.action != "ignore" or not silence.rules:
            message, close = "the comment silences nothing", ""
        elif unknown := [name for name in silence.rules if name not in names]:
            message, close = f"there is no rule {unknown[0]!r}", _closest(unknown[0], names)
        else:
            continue
        place = Place(silence.path, silence.written_in, 1)
        remedy = f"Did you mean {close}?" if close else lint_comment.remedy
        yield lint_comment.at(place, message, "so no finding is silenced here", remedy)


def _closest(name: str, names: list[str]) -> str:
    import difflib  # noqa: PLC0415 - rarely needed

    return next(iter(difflib.get_close_matches(name[:64], names, 1)), "")


RULES = (*rules_of(LintRule, interfaces, programs, memory, search_paths), lint_comment)
