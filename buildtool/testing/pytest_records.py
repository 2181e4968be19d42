"""Writes what pytest reports to a descriptor, a JSON object in each line, as it comes.

pytest's JUnit XML lacks the ids of tests, and the attempts that ended with a lost connection.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest

from buildtool.testing import DSP_CRASH, LOST, OUTCOME

PHASES = ("setup", "call", "teardown")
KEPT = 1 << 20
"""Characters at the end of what a test wrote."""


class PytestRecords:
    """A plugin that writes `{"collected": [ID...], "root": DIRECTORY}`, `{"begins": ID}`, and for
    each test that has ended the fields of `TestResult` without suite and device."""

    def __init__(self, handle: int) -> None:
        self._stream = os.fdopen(handle, "w", encoding="ascii")
        self._phases: dict[str, list[pytest.TestReport]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected(session.config, [item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """A worker of pytest-xdist has collected the tests, of which it will run a part."""
        self._collected(node.config, ids)

    def _collected(self, config: pytest.Config, ids: list[str]) -> None:
        self._write({"collected": ids, "root": str(config.rootpath)})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._write(
                {
                    "name": report.nodeid or "collection",
                    "outcome": "not run",
                    "seconds": 0,
                    "message": "pytest cannot collect its tests",
                    "output": report.longreprtext,
                    "lost": [],
                    "dsp_crash": False,
                }
            )

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write({"begins": nodeid})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        phases = self._phases.setdefault(report.nodeid, [])
        phases.append(report)
        if report.when not in PHASES[:-1]:
            self._write(_record(self._phases.pop(report.nodeid)))

    def _write(self, record: dict[str, Any]) -> None:
        self._stream.write(json.dumps(record) + "\n")
        self._stream.flush()


def _record(phases: list[pytest.TestReport]) -> dict[str, Any]:
    """The record of a test with the reports of its set-up, its call and its tear-down."""
    last = phases[-1]
    properties = {name: str(value) for name, value in last.user_properties}
    outcome, decisive = "passed", last
    for report in phases:
        if report.failed:
            usual = "failed" if report.when in PHASES else "crashed"  # a worker of pytest-xdist
            outcome, decisive = properties.get(OUTCOME, usual), report
            break
        if report.skipped:
            expected = hasattr(report, "wasxfail")
            outcome, decisive = ("expected failure" if expected else "skipped"), report
    texts = [decisive.longreprtext] if decisive.failed else []
    texts += [f"--- {title} ---\n{text}" for title, text in last.sections if text]
    return {
        "name": last.nodeid,
        "outcome": outcome,
        "seconds": sum(report.duration for report in phases),
        "message": _message(decisive),
        "output": "\n".join(texts)[-KEPT:],
        "lost": [str(value) for name, value in last.user_properties if name == LOST],
        "dsp_crash": DSP_CRASH in properties,
    }


def _message(report: pytest.TestReport) -> str:
    """Why a test did not pass, in a line."""
    if report.passed:
        return ""
    if reason := getattr(report, "wasxfail", ""):
        return str(reason)
    if isinstance(report.longrepr, tuple):  # skipped: file, line, reason
        return report.longrepr[2].removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    own = str(report.longrepr or "")  # `longreprtext` names the worker of pytest-xdist, too
    text = crash.message if crash else own
    line = next(iter(text.splitlines()), "")
    return re.sub(r"^buildtool\.[\w.]+: ", "", line)  # the class of an error
