"""What CTest prints and the test launcher records becomes results, as tests end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from buildtool.testing.ctest.results import CTestReport, ProgramRecords
from buildtool.testing.ctest.tests import ListedTest
from buildtool.testing.results import Outcome, TestResult

NAME = "a.b c ..*** 1"
HEADER = [
    "test 3",
    f"      Start  3: {NAME}",
    "",
    "3: Test command: /python -I",
    "3: Environment variables: ",
    "3:  A=x",
    "y",
    "3: Test timeout computed to be: 10",
]
SAID = ["3: said", "3: 3/15 Test #3: no", "3: Test timeout computed to be: 1"]
SKIPS = {NAME: ListedTest(NAME, ("x",), {"SKIP_RETURN_CODE": 7})}


def ended(how: str) -> str:
    return f" 3/15 Test  #3: {NAME} .........{how}  0.01 sec"


Ran = dict[str, Any]


def ran(end: str, status: int = 0, message: str = "") -> Ran:
    return {"end": end, "status": status, "message": message, "lost": ("cut",)}


def records_with(folder: Path, *rans: Ran) -> ProgramRecords:
    records = ProgramRecords(folder)
    for each in rans:
        records.change(records.add(NAME), **each)
    return records


def results_of(
    records: ProgramRecords,
    lines: list[str],
    *,
    may_crash: bool = False,
    tests: Mapping[str, ListedTest] | None = None,
) -> list[TestResult]:
    begun: list[str] = []
    report = CTestReport(
        "suite",
        "sim",
        tests or SKIPS,
        records,
        begin=begun.append,
        explain=lambda file: (f"{CRASH}\nat x",) if file.exists() else (),
        may_crash=lambda _: may_crash,
    )
    found = [reported.result for line in lines if (reported := report.read(line))]
    assert [result.name for result in found] == begun
    return found


FAILED = "***Failed"
CRASH = "the DSP process crashed: it is broken"


@pytest.mark.parametrize(
    ("how", "record", "wanted"),
    [
        ("   Passed", None, (Outcome.PASSED, "")),
        ("   Passed", ran("exit"), (Outcome.PASSED, "")),
        ("   Passed", ran("exit", 7), (Outcome.PASSED, "")),  # WILL_FAIL
        ("   Passed", ran("lost", message="no"), (Outcome.NOT_RUN, "no")),  # WILL_FAIL, too
        (FAILED, ran("exit", 3), (Outcome.FAILED, "exit status 3")),
        (FAILED, ran("exit", 0), (Outcome.FAILED, "exit status 0")),
        ("***Timeout", ran("exit", 3), (Outcome.FAILED, "exit status 3")),  # see opened_paths
        ("***Timeout (SIGINT)", None, (Outcome.TIMED_OUT, "did not end in 0.0 s")),
        ("***Timeout", ran("exit", 0), (Outcome.TIMED_OUT, "did not end in 0.0 s")),
        ("***Failed  Error x. Regex=[a b]", ran("exit"), (Outcome.FAILED, "Error x. Regex=[a b]")),
        (FAILED, None, (Outcome.FAILED, "CTest counts it as failed")),
        (FAILED, ran("signal", 11), (Outcome.CRASHED, "ended by SIGSEGV")),
        ("***Exception: SegFault", ran("signal", 11), (Outcome.CRASHED, "ended by SIGSEGV")),
        ("***Exception: SegFault", None, (Outcome.CRASHED, "ended by SegFault")),
        (FAILED, ran("error", message="full"), (Outcome.NOT_RUN, "full")),
        ("***Timeout", ran("started"), (Outcome.TIMED_OUT, "did not end in 0.0 s")),
        ("***Not Run (Disabled)", None, (Outcome.SKIPPED, "disabled")),
        ("***Not Run", None, (Outcome.NOT_RUN, "CTest could not start it")),
        ("***Skipped", ran("exit", 7), (Outcome.SKIPPED, "SKIP_RETURN_CODE=7")),
    ],
)
def test_outcomes(
    tmp_path: Path, how: str, record: Ran | None, wanted: tuple[Outcome, str]
) -> None:
    records = records_with(tmp_path, *[record] if record else [])
    (found,) = results_of(records, [*HEADER, *SAID, ended(how)])
    assert (found.outcome, found.message) == wanted
    assert (found.suite, found.name, found.device) == ("suite", NAME, "sim")
    assert found.output == "said\n3/15 Test #3: no\nTest timeout computed to be: 1"
    assert found.lost == (("cut",) if record else ())


@pytest.mark.parametrize(
    ("how", "record", "usual"),
    [
        ("   Passed", ran("exit", 7), ""),
        (FAILED, ran("exit", 3), "exit status 3"),
        ("***Failed  Error x. Regex=[a b]", ran("exit"), "Error x. Regex=[a b]"),
        ("***Exception: SegFault", ran("signal", 11), "ended by SIGSEGV"),
        ("***Timeout", ran("started"), "did not end in 0.0 s"),
        ("***Skipped", ran("exit", 7), "SKIP_RETURN_CODE=7"),
    ],
)
def test_a_crash_of_the_dsp_process_counts(
    tmp_path: Path, how: str, record: Ran, usual: str
) -> None:
    for may_crash in (False, True):
        records = records_with(tmp_path, record)
        records.files(1)
        (found,) = results_of(records, [*HEADER, ended(how)], may_crash=may_crash)

        assert (found.outcome is Outcome.CRASHED and found.dsp_crash) != may_crash
        assert found.message == (usual if may_crash else f"{CRASH}; {usual}".removesuffix("; "))
        assert found.output == f"{CRASH}\nat x"


def test_a_program_that_could_not_run_has_not_run(tmp_path: Path) -> None:
    records = records_with(tmp_path, ran("error", message="full"))
    records.files(1)
    (found,) = results_of(records, [*HEADER, ended(FAILED)])
    assert (found.outcome, found.message) == (Outcome.NOT_RUN, "full")


@pytest.mark.parametrize("why", ["Failed test dependencies: setup", "Could not find executable x"])
def test_why_a_test_does_not_start(tmp_path: Path, why: str) -> None:
    (found,) = results_of(ProgramRecords(tmp_path), [*HEADER[:2], why, ended("***Not Run")])
    assert (found.outcome, found.message) == (Outcome.NOT_RUN, why)


def test_a_regular_expression_may_have_lines(tmp_path: Path) -> None:
    line = f" 3/15 Test  #3: {NAME} ...***Failed  Required regular expression not found. Regex=[a"
    (found,) = results_of(ProgramRecords(tmp_path), [*HEADER, line, "]  0.00 sec"])
    assert found.outcome is Outcome.FAILED
    assert found.message == "Required regular expression not found. Regex=[a]"


def test_two_tests_of_one_name_have_a_record_each(tmp_path: Path) -> None:
    records = records_with(tmp_path, ran("exit", 3), ran("exit", 4))
    found = results_of(records, [*HEADER, ended(FAILED), *HEADER, ended(FAILED)])
    assert [result.message for result in found] == ["exit status 3", "exit status 4"]
    assert records.take(NAME) is None
    records.change(1, end="signal")  # the program of a test that CTest has ended may end later


@pytest.mark.parametrize(
    ("how", "record", "wanted"),
    [
        (FAILED, ran("exit"), "exit status 0, but WILL_FAIL expects a failure"),
        (FAILED, None, "it passed, but WILL_FAIL expects a failure"),
        ("***Failed  Error x. Regex=[a b]", ran("exit"), "Error x. Regex=[a b]"),
    ],
)
def test_a_test_that_was_to_fail(tmp_path: Path, how: str, record: Ran | None, wanted: str) -> None:
    records = records_with(tmp_path, *[record] if record else [])
    tests = {NAME: ListedTest(NAME, ("x",), {"WILL_FAIL": True})}
    (found,) = results_of(records, [*HEADER, ended(how)], tests=tests)
    assert (found.outcome, found.message) == (Outcome.FAILED, wanted)


@pytest.mark.parametrize("line", [ended(FAILED), "3: x", "      Start x: y", "\udcff", ""])
def test_lines_about_tests_that_have_not_begun_are_left_out(tmp_path: Path, line: str) -> None:
    assert not results_of(ProgramRecords(tmp_path), [line])
