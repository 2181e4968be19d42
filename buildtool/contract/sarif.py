"""Findings as SARIF 2.1.0, which code hosts and editors show beside the files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from buildtool import __version__
from buildtool.contract.check import RULES
from buildtool.contract.finding import Finding, RuleText
from buildtool.contract.inspection import ARCHIVE, FILE, Inspection

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif(inspections: Iterable[Inspection]) -> dict[str, Any]:
    """The SARIF document of inspections."""
    rules = list(RULES)
    numbers = {rule.name: number for number, rule in enumerate(rules)}
    results = [
        _result(inspection, finding, numbers[finding.rule])
        for inspection in inspections
        for finding in inspection.findings
    ]
    return sarif_document(rules, results)


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
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "results": results,
            }
        ],
    }


def _rule(rule: RuleText) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.requirement},
        "fullDescription": {"text": f"{rule.requirement} {rule.reason}"},
    }


def _result(inspection: Inspection, finding: Finding, number: int) -> dict[str, Any]:
    text = "\n".join((f"{finding.message}: {finding.why}.", finding.remedy))
    file, inside = inspection.path, finding.path
    if inspection.kind not in (ARCHIVE, FILE) and inside:
        file = f"{file}/{inside}"
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": sarif_uri(file)}}}
    if inspection.kind == ARCHIVE and inside:
        name = inside.encode(errors="surrogateescape").decode(errors="replace")
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "resource"}]
    return {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": finding.severity,
        "message": {"text": text.encode(errors="surrogateescape").decode(errors="replace")},
        "locations": [location],
    }


def sarif_uri(path: str) -> str:
    """A path as a URI, relative if the path is."""
    return quote(path.encode(errors="surrogateescape"))
