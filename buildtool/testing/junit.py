"""Results as JUnit XML.

The form is that of the schema `junit-10.xsd` of Jenkins' xUnit plugin, which knows tests that were
run again: `flakyError` where they passed then, `rerunError` where they did not.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

from buildtool.core.escape import escape
from buildtool.core.files import write_if_changed
from buildtool.testing.results import BAD, Outcome, TestResult, TestRun

KINDS = {
    Outcome.SKIPPED: "skipped",
    Outcome.EXPECTED_FAILURE: "skipped",
    Outcome.FAILED: "failure",
    Outcome.UNEXPECTED_PASS: "failure",
    Outcome.CRASHED: "error",
    Outcome.TIMED_OUT: "error",
    Outcome.NOT_RUN: "error",
}
"""The element of a test; one that passed has none."""
NOT_IN_XML = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""Characters that XML 1.0 does not allow, besides control characters and surrogates."""


def write_junit(runs: Sequence[TestRun], file: Path) -> None:
    """Write the results of `runs`, completely or not at all.  Raises `OSError`."""
    write_if_changed(file.absolute(), junit_xml(runs))


def junit_xml(runs: Sequence[TestRun]) -> bytes:
    """The document of `runs`, which were on different devices at the same time.  Expected failures
    are skipped tests, unexpected passes failures."""
    target = " ".join(dict.fromkeys(run.target for run in runs))
    tests = [result for run in runs for result in run.tests]
    seconds = max(run.seconds for run in runs)
    root = Xml.Element("testsuites", {"name": _text(target), **_counts(tests, seconds)})
    for run in runs:
        for name in dict.fromkeys(result.suite for result in run.tests):
            root.append(_suite(run, name, [each for each in run.tests if each.suite == name]))
    Xml.indent(root)
    document: bytes = Xml.tostring(root, encoding="UTF-8", xml_declaration=True)
    return document + b"\n"


def _suite(run: TestRun, name: str, tests: Sequence[TestResult]) -> Xml.Element:
    suite = Xml.Element(
        "testsuite",
        {
            "name": _text(name),
            **_counts(tests, sum(result.seconds for result in tests)),
            "skipped": str(_count(tests, "skipped")),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(run.started)),
            "hostname": _text(run.device),
        },
    )
    properties = Xml.SubElement(suite, "properties")
    for key in ("device", "soc", "arch", "firmware", "target", "release", "deployment"):
        Xml.SubElement(properties, "property", name=key, value=_text(getattr(run, key)))
    suite.extend(_case(result) for result in tests)
    return suite


def _case(result: TestResult) -> Xml.Element:
    case = Xml.Element(
        "testcase",
        classname=_text(result.suite),
        name=_text(result.name),
        time=_seconds(result.seconds),
    )
    if kind := KINDS.get(result.outcome):
        why = {"type": result.outcome.value, "message": _text(result.message)}
        failure = Xml.SubElement(case, kind, why)
        if result.finding:
            failure.text = _text(result.finding.text())
    again = "rerunError" if result.outcome in BAD else "flakyError"
    for line in result.lost:
        Xml.SubElement(case, again, type="connection lost", message=_text(line))
    if result.output:
        Xml.SubElement(case, "system-out").text = _text(result.output)
    return case


def _counts(tests: Sequence[TestResult], seconds: float) -> dict[str, str]:
    return {
        "tests": str(len(tests)),
        "failures": str(_count(tests, "failure")),
        "errors": str(_count(tests, "error")),
        "time": _seconds(seconds),
    }


def _count(tests: Sequence[TestResult], kind: str) -> int:
    return sum(1 for result in tests if KINDS.get(result.outcome) == kind)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _text(text: str) -> str:
    """`text` with only characters that XML allows."""
    return escape(text).translate(NOT_IN_XML)
