"""The rules, their files, and the table in docs/contract.md."""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.contract import rules
from buildtool.contract.build_checks import CDSPRPC, DSP, HOST
from buildtool.contract.inspection import RULES

ROOT = Path(__file__).parents[3]


def test_the_rules_of_every_file_are_applied() -> None:
    files = {path.stem for path in Path(rules.__path__[0]).glob("*.py")} - {"__init__"}
    assert {rule.find.__module__ for rule in RULES} == {f"{rules.__name__}.{f}" for f in files}


def test_a_function_has_the_name_of_its_rule() -> None:
    assert [rule.name.replace("-", "_") for rule in RULES] == [r.find.__name__ for r in RULES]


def test_every_rule_has_a_requirement_and_a_reason() -> None:
    for rule in RULES:
        assert re.fullmatch(r"[A-Z][^.]*( \S+\.\S+[^.]*)*\.", rule.requirement)
        assert rule.reason.endswith(".")


def test_a_build_applies_rules_for_releases() -> None:
    assert {*HOST, *DSP, *CDSPRPC} < set(RULES)


def test_the_documentation_has_the_rules() -> None:
    table = (ROOT / "docs/contract.md").read_text(encoding="utf-8").partition("## The rules")[2]
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \| (.+) \|$", table, re.MULTILINE)
    expected = [(rule.name, rule.requirement, rule.reason) for rule in RULES]
    assert rows == expected
