"""What `--strict` finds in skels is part of the results."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.device.strict.conftest import SOURCES
from tests.device.testing.test_programs import results_of
from tests.project import Project

TESTS = """
[test.within]
program = "bin/faults"
args = ["sum", "1024", "0", "1024"]

[test.past]
program = "bin/faults"
args = ["sum", "1024", "0", "1025"]

[test.in-python]
pytest = ["tests"]
"""
PYTHON = """
def test_past(device):
    ran = device.run("bin/faults", "sum", 1024, 0, 1025, dsp_may_crash=True)
    assert "1 byte past the end of parameter 'data'" in ran.stderr
"""


@pytest.mark.usefixtures("earlier_builds")
def test_a_wrong_access_is_explained(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    shutil.copytree(SOURCES, project.root)
    project.write("buildtool.toml", (project.root / "buildtool.toml").read_text() + TESTS)
    project.write("tests/test_faults.py", PYTHON)

    strict = results_of(project, "sim", "past", "within", "in-python", "--strict", status=1)

    outputs = {test["name"]: test["output"] for test in strict["tests"]}
    outcomes = {test["name"]: test["outcome"] for test in strict["tests"]}
    assert "1 byte past the end of parameter 'data'" in outputs["past"]
    assert "faults_imp.c" in outputs["past"]
    assert outputs["within"].count("past the end") == 0
    assert outcomes["tests/test_faults.py::test_past"] == "passed"
    usual = results_of(project, "sim", "past", "in-python", status=1)
    assert all("past the end" not in test["output"] for test in usual["tests"][:1])
    assert usual["tests"][-1]["outcome"] == "failed"
