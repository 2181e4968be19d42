"""Tests on sim know exact counts: `test --json`, and the fixture `device` of pytest."""

from __future__ import annotations

import json

import pytest

from tests.json_documents import validate
from tests.project import Project

pytestmark = pytest.mark.long

TESTS = """
def test_the_kernel_is_as_short_as_it_was(device):
    ran = device.run("bin/my-project")
    (packets,) = [row.packets for row in ran.methods if row.name.endswith("scale_add")]
    assert 400 < packets < {limit}
"""


def test_counts_are_results_of_tests(project_with_kernel: Project) -> None:
    project = project_with_kernel
    project.write("tests/test_counts.py", TESTS.format(limit=600))
    text = (project.root / "buildtool.toml").read_text()
    project.write("buildtool.toml", f'{text}\n[test.counts]\npytest = ["tests"]\n')
    found = json.loads(project.succeeds("test", "sim", "--json"))
    project.write("tests/test_counts.py", TESTS.format(limit=410))
    tighter = project.run("test", "sim", "counts")

    validate("test", found)
    program, python = found["tests"]
    assert (program["name"], python["suite"]) == ("verified", "counts")
    names = [row["name"] for row in program["methods"]]
    assert names == [f"my_project_dsp_{name}" for name in ("open", "close", "scale_add")]
    assert program["methods"][2]["packets"] > 400
    assert python["methods"] == []
    assert tighter.returncode == 1
    assert "failed: assert" in tighter.stdout
