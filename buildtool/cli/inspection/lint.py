"""`buildtool lint [PATH…]`: mistakes in sources, interfaces and scripts, before they run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show, show_json
from buildtool.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from buildtool.documents.inspection import LintDocument, LintRulesDocument
    from buildtool.lint.check import LintResult
    from buildtool.lint.finding import LintRule
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
    from buildtool.cli.inspection import lint_text as texts

    if json and sarif:
        raise UsageError("--json cannot be used with --sarif", remedy="Choose one of them.")
    if explain or list_all:
        rules = _rules(explain)
        if json:
            print_json(_rules_document(rules))
        else:
            show(texts.rule_text(rules[0]) if explain else texts.rule_list(rules))
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
        show(texts.result_text(result))
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


def _rules_document(rules: Iterable[LintRule]) -> LintRulesDocument:
    return {"rules": [rule.as_json() for rule in rules]}


def _document(result: LintResult) -> LintDocument:
    return {
        "files": result.files,
        "finding_count": len(result.findings),
        "silenced_count": result.silenced,
        "findings": [finding.as_json() for finding in result.findings],
        "skipped": [{"path": path, "why": why} for path, why in result.skipped.items()],
    }
