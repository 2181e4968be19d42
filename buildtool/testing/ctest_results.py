"""Results of a CTest suite: what CTest and the launcher say of each test, put together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

from buildtool.core.escape import without_colours
from buildtool.core.files import read_regular
from buildtool.core.value import Value
from buildtool.testing.ctest import CTestError
from buildtool.testing.programs import signal_name
from buildtool.testing.record import Record
from buildtool.testing.results import Outcome, TestResult

# "Start  3: name" and " 3/15 Test  #3: name ......***Exception: SegFault  0.00 sec"
_START = r"\s*Start +\d+: (.*)"
_END = r"\s*\d+/\d+ Test +#\d+: (.*?) \.*(?: +Passed|\*\*\*(Timeout|Exception: \S+|\w+))"
# Why CTest itself did not start a test.
_NOT_STARTED = ("Fixture dependency failed", "Unable to find", "Required Files Missing")


class Launched(Value):
    """A program that the launcher ran, and what is known of crashes of skels in it."""

    record: Record
    explained: str = ""


def started_test(line: str) -> str:
    """The test that begins, as a line of CTest says; "" for other lines."""
    found = re.fullmatch(_START, line)
    return found[1] if found else ""


def results_of(
    suite: str, device: str, junit: Path, lines: Sequence[str], launched: Sequence[Launched]
) -> Iterator[TestResult]:
    """The results in CTest's `junit`; `lines` are what CTest printed, in which alone it tells
    timeouts and signals.  Raises `CTestError`."""
    causes = defaultdict(list)
    for line in lines:
        if found := re.match(_END, line):
            causes[found[1]].append(found[2] or "")
    records = defaultdict(list)
    for each in launched:
        records[each.record.test].append(each)
    try:
        cases = Xml.fromstring(read_regular(junit)).findall("testcase")
    except (OSError, Xml.ParseError) as error:
        raise CTestError(
            "CTest wrote no results that can be read",
            why="\n".join([str(error), *lines[-20:]]),
            remedy="Run it again; if nothing ended CTest, report this as an error of buildtool.",
        ) from error
    for case in cases:
        name = case.get("name", "")
        cause = causes[name].pop(0) if causes[name] else ""
        ran = records[name].pop(0) if records[name] else None
        outcome, message = _verdict(case, cause, ran.record if ran else None)
        output = case.findtext("system-out") or ""
        yield TestResult(
            suite,
            name,
            device,
            outcome,
            float(case.get("time") or 0),
            message,
            without_colours("\n".join(filter(None, (output, ran.explained if ran else "")))),
            ran.record.lost if ran else (),
        )


def _verdict(case: Xml.Element, cause: str, record: Record | None) -> tuple[Outcome, str]:
    """The outcome of a test, and in a line why it did not pass."""
    if record and record.end in ("lost", "error"):  # whatever CTest makes of the exit status
        return Outcome.NOT_RUN, record.message
    status = case.get("status")
    why = case.find("failure") if status == "fail" else case.find("skipped")
    message = " ".join((why.get("message") or "").split()) if why is not None else ""
    if status == "run":
        return Outcome.PASSED, ""
    if status == "disabled":
        return Outcome.SKIPPED, "disabled"
    if status == "notrun":
        skipped = not message.startswith(_NOT_STARTED)
        return Outcome.SKIPPED if skipped else Outcome.NOT_RUN, message
    kind, _, more = cause.partition(": ")
    if kind == "Timeout":
        return Outcome.TIMED_OUT, f"did not end in {float(case.get('time') or 0):.1f} s"
    if record and record.end == "signal":
        return Outcome.CRASHED, f"ended by {signal_name(record.status)}"
    if kind == "Exception":
        return Outcome.CRASHED, f"ended by {more}"
    if message in ("", "Failed") and record:
        message = f"exit status {record.status}"
    return Outcome.FAILED, message or "CTest counts it as failed"
