"""Findings of `buildtool lint` as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

from typing import Any

from buildtool.contract.sarif import sarif_document, sarif_uri
from buildtool.lint.check import RULES, LintResult
from buildtool.lint.finding import LintFinding


def lint_sarif(result: LintResult) -> dict[str, Any]:
    """The SARIF document; files are relative to the project."""
    rules = list(RULES)
    numbers = {rule.name: number for number, rule in enumerate(rules)}
    results = [_result(finding, numbers[finding.rule]) for finding in result.findings]
    return sarif_document(rules, results)


def _result(finding: LintFinding, number: int) -> dict[str, Any]:
    region = {"startLine": finding.place.line, "startColumn": finding.place.column}
    location = {
        "artifactLocation": {"uri": sarif_uri(finding.place.path)},
        "region": region,
    }
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": "warning",
        "message": {"text": f"{finding.message}: {finding.why}.\n{finding.remedy}"},
        "locations": [{"physicalLocation": location}],
    }
