"""Each rule finds its wrong example and not the right one; the docs have both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buildtool.diagnose.knowledge import read_knowledge
from buildtool.lint import rules
from buildtool.lint.check import RULES
from buildtool.lint.finding import LintRule
from tests.command_line import REPOSITORY
from tests.unit.lint.linted import SUFFIXES, lint_texts

RELEASED = """\
#include "remote.idl"
const string IDL_VERSION = "1.0.0";
interface calc : remote_handle64 {
    long sum(in sequence<long> values, rout long result);
};
"""
ALL = list(RULES)
PAGE = (REPOSITORY / "docs/lint.md").read_text(encoding="utf-8")


def found_in(rule: LintRule, code: str, folder: Path) -> set[str]:
    file = f"x{SUFFIXES[rule.language]}"
    released = {file: RELEASED} if rule.name == "idl-compatible" else {}
    result = lint_texts(folder, released, **{file.replace(".", "_"): code})
    assert not result.skipped
    return {finding.rule for finding in result.findings}


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.name)
def test_a_rule_finds_wrong_code(rule: LintRule, tmp_path: Path) -> None:
    assert found_in(rule, rule.wrong, tmp_path) == {rule.name}


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.name)
def test_no_rule_finds_anything_in_right_code(rule: LintRule, tmp_path: Path) -> None:
    assert found_in(rule, rule.right, tmp_path) == set()


def test_the_rules_of_every_file_are_applied() -> None:
    files = {path.stem for path in Path(rules.__path__[0]).glob("*.py")} - {"__init__"}
    modules = {f"{rules.__name__}.{file}" for file in files}

    assert {rule.find.__module__ for rule in ALL} == {*modules, "buildtool.lint.check"}
    assert [rule.name.replace("-", "_") for rule in ALL] == [rule.find.__name__ for rule in ALL]


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.name)
def test_a_rule_has_requirement_reason_source_and_remedy(rule: LintRule) -> None:
    assert rule.requirement.endswith(".")
    assert rule.reason.endswith(".")
    assert rule.remedy.endswith(".")
    assert rule.source
    for source in rule.source:
        named = source.split()[0]
        assert (REPOSITORY / named).exists() or "/" in named or named == "QuRT"


def test_explain_knows_the_failures() -> None:
    conditions = read_knowledge().conditions

    assert [rule.name for rule in ALL if rule.condition and rule.condition not in conditions] == []


def test_the_page_has_the_rules_with_their_examples() -> None:
    sections = PAGE.partition("## The rules")[2].split("\n### ")[1:]

    assert [section.partition("\n")[0] for section in sections] == [rule.name for rule in ALL]
    for rule, section in zip(ALL, sections, strict=True):
        text = " ".join(section.split())
        assert f"{rule.requirement} {rule.reason}" in text
        assert all(source in text for source in rule.source)
        assert re.findall(r"^```[\w-]*\n(.*?)^```$", section, re.DOTALL | re.MULTILINE) == [
            rule.wrong,
            rule.right,
        ]
