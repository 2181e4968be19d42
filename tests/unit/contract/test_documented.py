"""The rules, their files, and the table in docs/contract.md."""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.contract import rules
from buildtool.contract.build_checks import CDSPRPC, DSP, HOST
from buildtool.contract.check import RULES

ROOT = Path(__file__).parents[3]


def test_every_file_is_a_rule_named_like_it() -> None:
    files = {path.stem for path in Path(rules.__path__[0]).glob("*.py")} - {"__init__"}
    assert {module.RULE.name.replace("-", "_") for module in RULES} == files
    assert len(RULES) == len(files)


def test_every_rule_has_a_requirement_and_a_reason() -> None:
    for module in RULES:
        assert re.fullmatch(r"[A-Z][^.]*( \S+\.\S+[^.]*)*\.", module.RULE.requirement)
        assert module.RULE.reason.endswith(".")


def test_a_build_applies_rules_for_releases() -> None:
    assert {*HOST, *DSP, *CDSPRPC} < set(RULES)


def test_the_documentation_has_the_rules() -> None:
    table = (ROOT / "docs/contract.md").read_text(encoding="utf-8").partition("## The rules")[2]
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \| (.+) \|$", table, re.MULTILINE)
    expected = [(m.RULE.name, m.RULE.requirement, m.RULE.reason) for m in RULES]
    assert rows == expected
