"""Each rule of releases prevents a failure; `explain` knows the line that a log has of it."""

from __future__ import annotations

import pytest

from buildtool.contract.inspection import RULES
from buildtool.diagnose.knowledge import CAUSE
from tests.unit.diagnose.knowledge_files import read_folder
from tests.unit.diagnose.logs import explain_lines

WITHOUT_LINE = {
    "no-undeclared-files": "nothing fails on a device: it is about who added the file",
    "no-build-paths": "nothing fails on a device: files differ from build to build",
    "stripped": "nothing fails on a device: files are large",
    "skel-alignment": "no loader is known that refuses another alignment",
    "skel-hash": "no loader is known that refuses another hash table",
    "hvx-instructions": "results are wrong, and nothing is logged",
    "qf-values": "results are wrong, and nothing is logged",
}
NAMES = [rule.name for rule in RULES]
CONDITIONS = read_folder()


@pytest.mark.parametrize("rule", [name for name in NAMES if name not in WITHOUT_LINE])
def test_the_failure_that_a_rule_prevents_has_a_line(rule: str) -> None:
    named = {name: row for name, row in CONDITIONS.items() if rule in row["checks"]}
    lines = [(name, line) for name, row in named.items() for line in row["example"]]
    assert lines, "a condition names the rule in its `checks`, and has an example"

    for name, line in lines:
        said = explain_lines([line])
        found = [*said.causes, *said.symptoms, *said.consequences]
        assert found[0].condition.name == name
        assert found[0].condition.kind == CAUSE or named[name]["needs_code"]


def test_rules_without_a_line_exist() -> None:
    assert WITHOUT_LINE.keys() <= {*NAMES}
