"""All rules of `buildtool lint`, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Mapping

from buildtool.core.value import Value
from buildtool.lint import comments
from buildtool.lint.comments import without_silenced
from buildtool.lint.finding import LintFinding, rules_of
from buildtool.lint.rules import interfaces, memory, power, programs, search_paths
from buildtool.lint.subject import Subject

RULES = tuple(rules_of(interfaces, programs, power, memory, search_paths, comments))


class LintResult(Value):
    """The findings by place; `skipped` has the reason for each file that was not read, and
    `silenced` is the number of findings that comments silence."""

    findings: tuple[LintFinding, ...]
    files: int
    silenced: int
    skipped: Mapping[str, str]


def lint(subject: Subject) -> LintResult:
    """Apply all rules."""
    found = [finding for rule in RULES for finding in rule.find(subject)]
    left = without_silenced(found, subject.silences)
    left.sort(key=lambda finding: (finding.place, finding.rule))
    return LintResult(tuple(left), subject.files, len(found) - len(left), subject.skipped)
