"""`buildtool lint [PATH…]`: mistakes in sources, interfaces and scripts, before they run."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show, show_json
from buildtool.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from buildtool.documents.inspection import LintDocument
    from buildtool.lint.check import LintResult
    from buildtool.lint.finding import LintFinding, LintRule
    from buildtool.project.model import Project

EXAMPLES = (
    ("buildtool lint", "the sources, interfaces and scripts of the project"),
    ("buildtool lint --explain power-context", "a rule: reason, source, wrong and right code"),
)


def lint(
    paths: Annotated[
        list[Path] | None,
        Argument("[PATH]...", "Report only these files and directories; default: the project."),
    ] = None,
    *,
    against: Annotated[
        str,
        Option(
            "--against",
            "Compare interfaces with a revision, directory or IDL file; default: last tag.",
            "RELEASE",
        ),
    ] = "",
    explain: Annotated[
        str, Option("--explain", "Explain a rule, with its source and examples.", "RULE")
    ] = "",
    list_all: Annotated[bool, Option("--list", "List all rules.")] = False,
    json: Json = False,
    sarif: Annotated[
        bool, Option("--sarif", "Print the findings as a SARIF 2.1.0 document.")
    ] = False,
) -> int:
    """Find mistakes of FastRPC and DSP code, before they run.

    It reads sources, interfaces and scripts, and needs no build. A comment with `buildtool-lint:
    ignore RULE` silences one place. The exit status is 1 if there is a finding, or if a file that
    is named cannot be checked.
    """

    if json and sarif:
        raise UsageError("--json cannot be used with --sarif", remedy="Choose one of them.")
    if explain or list_all:
        rules = _rules(explain)
        if json:
            print_json({"rules": [rule.as_json() for rule in rules]})
        else:
            show(rule_text(rules[0]) if explain else rule_list(rules))
        return 0
    from buildtool.project.read import find_optional_project

    project = find_optional_project(Path.cwd())
    result = _lint(project, paths or [], against)
    if sarif:
        from buildtool.lint.check import lint_sarif

        show_json(lint_sarif(result))
    elif json:
        print_json(_document(result))
    else:
        show(result_text(result))
    named = {os.path.abspath(path) for path in paths or ()}  # noqa: PTH100 - without resolving links
    root = project.root if project else Path.cwd()
    return int(bool(result.findings) or any(str(root / path) in named for path in result.skipped))


def _lint(project: Project | None, paths: Sequence[Path], against: str) -> LintResult:
    from buildtool.flow.linting import lint_files, lint_project
    from buildtool.project.read import find_project

    if project:
        return lint_project(project, paths, against)
    if not paths or against:
        find_project(Path.cwd())  # raises the error that there is none
    return lint_files(paths)


def _rules(name: str) -> list[LintRule]:
    """All rules, or the one of that name; raises `UsageError`."""
    from buildtool.lint.check import RULES

    rules = list(RULES)
    found = [rule for rule in rules if rule.name == name]
    if name and not found:
        import difflib

        names = [rule.name for rule in rules]
        close = difflib.get_close_matches(name, names, 1)
        raise UsageError(
            f"there is no rule {name!r}",
            why=f"the rules are: {', '.join(names)}",
            remedy=f"Did you mean {close[0]!r}?" if close else "Name one of these.",
        )
    return found or rules


def _document(result: LintResult) -> LintDocument:
    return {
        "files": result.files,
        "finding_count": len(result.findings),
        "silenced_count": result.silenced,
        "findings": [finding.as_json() for finding in result.findings],
        "skipped": [{"path": path, "why": why} for path, why in result.skipped.items()],
    }


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
