"""Findings as SARIF 2.1.0, which code hosts and editors show beside the files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from buildtool import __version__
from buildtool.contract.finding import RuleText

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
    return quote(path.encode(errors="surrogateescape"))
