"""What `lint` prints."""

from __future__ import annotations

from typing import Annotated, TypedDict


class LintFindingObject(TypedDict):
    rule: Annotated[str, "name of the rule"]
    path: Annotated[str, "path of the file, relative to the project"]
    line: Annotated[int, "line, from 1"]
    column: Annotated[int, "column, from 1"]
    message: Annotated[str, "what is wrong"]
    why: Annotated[str, "what follows from it"]
    remedy: Annotated[str, "what to do"]


class SkippedFileObject(TypedDict):
    path: Annotated[str, "path of the file"]
    why: Annotated[str, "why it was not checked"]


class LintDocument(TypedDict):
    """What `lint` prints."""

    files: Annotated[int, "number of files that were checked"]
    finding_count: Annotated[int, "number of findings"]
    silenced_count: Annotated[int, "number of findings that comments silence"]
    findings: Annotated[list[LintFindingObject], "the findings, by place"]
    skipped: Annotated[list[SkippedFileObject], "files that were not checked"]


class LintRuleObject(TypedDict):
    name: Annotated[str, "name of the rule"]
    requirement: Annotated[str, "what it requires"]
    reason: Annotated[str, "why"]
    source: Annotated[list[str], "where the reason is from"]
    remedy: Annotated[str, "what to do"]
    language: Annotated[str, "language of the examples", ("c", "idl", "sh")]
    wrong: Annotated[str, "code that it finds"]
    right: Annotated[str, "the same code corrected"]
    condition: Annotated[str | None, "name of the failure for `explain`; null if it has none"]


class LintRulesDocument(TypedDict):
    """What `lint --list` and `lint --explain` print."""

    rules: Annotated[list[LintRuleObject], "the rules, in the order in which they are applied"]
