"""All rules, in the order in which they are applied."""

from __future__ import annotations

from buildtool.contract.finding import Finding, rules_of
from buildtool.contract.rules import (
    any_file,
    declared,
    host_libraries,
    host_system,
    machines,
    skels,
    vector_instructions,
)
from buildtool.contract.subject import Subject

RULES = tuple(
    rules_of(declared, machines, host_system, host_libraries, skels, vector_instructions, any_file)
)


def check(subject: Subject) -> list[Finding]:
    """All findings, in the order of the rules, and for each rule of the paths."""
    found = [finding for rule in RULES for finding in rule.check(subject)]
    order = {rule.name: index for index, rule in enumerate(RULES)}
    return sorted(found, key=lambda finding: (order[finding.rule], finding.path))
