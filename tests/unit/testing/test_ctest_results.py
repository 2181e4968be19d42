"""What CTest and the launcher say of tests becomes results."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.testing.ctest import CTestError
from buildtool.testing.ctest_results import Launched, results_of, started_test
from buildtool.testing.record import Record
from buildtool.testing.results import Outcome, TestResult

JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)" tests="1">
  <testcase name="a.b c" classname="a.b c" time="1.5" status="{status}">
    {inside}<system-out>said</system-out>
  </testcase>
</testsuite>
"""
FAILURE = '<failure message=""/>'
FAILED = " 3/15 Test  #3: a.b c ............................***Failed    0.00 sec"


def result(
    folder: Path, status: str, inside: str = "", line: str = FAILED, record: Record | None = None
) -> TestResult:
    file = folder / "results.xml"
    file.write_text(JUNIT.format(status=status, inside=inside))
    launched = [Launched(record, "a skel crashed")] if record else []
    (found,) = results_of("suite", "sim", file, [line], launched)
    return found


def ran(end: str, status: int = 0, message: str = "") -> Record:
    return Record("a.b c", ("x",), 1.0, end, status, message, lost=("cut",))


def failed(line: str = FAILED, message: str = "") -> tuple[str, str, str]:
    return "fail", f'<failure message="{message}"/>', line


def not_run(message: str) -> tuple[str, str, str]:
    return "notrun", f'<skipped message="{message}"/>', ""


PASSED = ("run", "", "")
TIMEOUT = FAILED.replace("Failed", "Timeout")
SEGFAULT = FAILED.replace("Failed", "Exception: SegFault")


@pytest.mark.parametrize(
    ("said", "record", "wanted"),
    [
        (PASSED, None, (Outcome.PASSED, "")),
        (PASSED, ran("exit"), (Outcome.PASSED, "")),
        (PASSED, ran("exit", 7), (Outcome.PASSED, "")),  # WILL_FAIL
        (PASSED, ran("lost", message="no"), (Outcome.NOT_RUN, "no")),  # WILL_FAIL, too
        (failed(), ran("exit", 3), (Outcome.FAILED, "exit status 3")),
        (failed(), ran("exit", 0), (Outcome.FAILED, "exit status 0")),
        (failed(message="a\nb"), ran("exit"), (Outcome.FAILED, "a b")),
        (failed(), None, (Outcome.FAILED, "CTest counts it as failed")),
        (failed(), ran("signal", 11), (Outcome.CRASHED, "ended by SIGSEGV")),
        (failed(), ran("error", message="full"), (Outcome.NOT_RUN, "full")),
        (failed(TIMEOUT), ran("started"), (Outcome.TIMED_OUT, "did not end in 1.5 s")),
        (failed(SEGFAULT), None, (Outcome.CRASHED, "ended by SegFault")),
        (("disabled", "", ""), None, (Outcome.SKIPPED, "disabled")),
        (not_run("SKIP_RETURN_CODE=7"), ran("exit", 7), (Outcome.SKIPPED, "SKIP_RETURN_CODE=7")),
        (not_run("Required Files Missing"), None, (Outcome.NOT_RUN, "Required Files Missing")),
    ],
)
def test_outcomes(
    tmp_path: Path,
    said: tuple[str, str, str],
    record: Record | None,
    wanted: tuple[Outcome, str],
) -> None:
    found = result(tmp_path, *said, record)
    assert (found.outcome, found.message) == wanted
    assert (found.suite, found.name, found.device, found.seconds) == ("suite", "a.b c", "sim", 1.5)
    assert found.output == ("said\na skel crashed" if record else "said")
    assert found.lost == (("cut",) if record else ())


def test_two_tests_of_one_name_have_a_result_each(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    case = '<testcase name="x" time="0" status="fail"><failure message=""/></testcase>'
    file.write_text(f"<testsuite>{case}{case}</testsuite>")
    records = [Launched(Record("x", (), time, "exit", status)) for time, status in ((1, 3), (2, 4))]
    found = results_of("s", "sim", file, [], records)
    assert [each.message for each in found] == ["exit status 3", "exit status 4"]


@pytest.mark.parametrize("text", ["", "<testsuite>", "\0"])
def test_results_that_cannot_be_read_are_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "results.xml"
    if text:
        file.write_text(text)
    with pytest.raises(CTestError, match="no results that can be read"):
        list(results_of("s", "sim", file, ["last words"], []))


def test_the_test_that_begins() -> None:
    assert started_test("      Start  1: a.b c") == "a.b c"
    assert started_test(FAILED) == ""
    assert started_test("text  Start 1: x") == ""
