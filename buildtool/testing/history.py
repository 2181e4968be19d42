"""The line of a run of tests in the history of its project."""

from __future__ import annotations

from typing import Any

from buildtool.core.history import TESTS, append_history
from buildtool.project.model import Project
from buildtool.testing.results import Outcome, TestResult, TestRun

MESSAGE = 500
"""Characters that are kept of a message."""


def record_tests(project: Project, run: TestRun) -> None:
    """Record the tests of `run`, without their output, and with little about those that passed."""
    if run.tests:
        line = {**run.as_json(), "tests": [_test(test) for test in run.tests]}
        append_history(project.state, TESTS, line)


def _test(test: TestResult) -> dict[str, Any]:
    line: dict[str, Any] = {
        "suite": test.suite,
        "name": test.name,
        "outcome": test.outcome.value,
        "seconds": round(test.seconds, 3),
    }
    if test.lost:
        line["lost"] = len(test.lost)
    if test.outcome is not Outcome.PASSED:
        line["message"] = test.message[:MESSAGE]
    if test.finding:
        line["finding"] = test.finding.as_json()
    return line
