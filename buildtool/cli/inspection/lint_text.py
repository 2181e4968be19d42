"""Findings and rules of `buildtool lint` as text."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buildtool.lint.check import LintResult
    from buildtool.lint.finding import LintFinding, LintRule

MIN_WIDTH, MAX_WIDTH = 50, 100


def result_text(result: LintResult) -> str:
    """The findings, the files that were not checked, and the numbers of both."""
    lines = [line for finding in result.findings for line in (*_finding(finding), "")]
    for path, why in result.skipped.items():
        lines += [*_wrapped(f"{path} is not checked: {why}", 0, 2), ""]
    counts = [_count(result.files, "file"), _count(len(result.findings), "finding")]
    counts += [f"{result.silenced} silenced"] if result.silenced else []
    return "\n".join((*lines, ", ".join(counts)))


def _finding(finding: LintFinding) -> Iterator[str]:
    place = f"{finding.place.path}:{finding.place.line}:{finding.place.column}"
    # As compilers print it, in one line: editors find the place.
    yield f"{place}: warning: {finding.message} [{finding.rule}]"
    yield from _wrapped(finding.why, 4, 4)
    yield from _wrapped(f"→ {finding.remedy}", 4, 6)


def rule_list(rules: Iterable[LintRule]) -> str:
    """Each rule with its requirement."""
    lines = [line for rule in rules for line in (rule.name, *_wrapped(rule.requirement, 2, 2))]
    return "\n".join((*lines, "", "buildtool lint --explain RULE has reason, source and examples."))


def rule_text(rule: LintRule) -> str:
    """All of a rule: requirement, reason, source, remedy, wrong and right code."""
    lines = [f"{rule.name}", *_wrapped(rule.requirement, 2, 2), ""]
    lines += [*_wrapped(rule.reason, 2, 2), ""]
    lines += _wrapped(f"source: {', '.join(rule.source)}", 2, 10)
    lines += _wrapped(f"remedy: {rule.remedy}", 2, 10)
    if rule.condition:
        lines += _wrapped(f"failure: buildtool explain {rule.condition}", 2, 11)
    for title, code in (("wrong", rule.wrong), ("right", rule.right)):
        lines += ["", f"  {title}:", textwrap.indent(code.rstrip("\n"), "    ")]
    return "\n".join(lines)


def _wrapped(text: str, first: int, rest: int) -> list[str]:
    width = min(max(shutil.get_terminal_size().columns, MIN_WIDTH), MAX_WIDTH)
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_on_hyphens=False,
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
