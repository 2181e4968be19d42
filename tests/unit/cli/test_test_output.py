"""What `buildtool test` prints: a line for each test, and the table at the end."""

from __future__ import annotations

import sys

import pytest

from buildtool.cli.devices.test_summary import show_summary
from buildtool.core.events import StepStarted, TestFinished
from buildtool.testing.results import Outcome, TestResult, TestRun
from tests.unit.cli.drawn import drawn, live
from tests.unit.cli.terminal import Terminal

RESULTS = (
    TestResult("engine", "add", "q6a", Outcome.PASSED, 0.5),
    TestResult("engine", "mul", "q6a", Outcome.PASSED, 0.5, lost=("ssh q6a: closed",)),
    TestResult("engine", "half", "q6a", Outcome.EXPECTED_FAILURE, 1.0, "no half floats"),
    TestResult("engine", "off", "q6a", Outcome.SKIPPED, 0.0, "no camera"),
    TestResult("test", "crash", "q6a", Outcome.CRASHED, 0.1, "ended by SIGSEGV", "\x1b[2J"),
    TestResult("test", "gone", "q6a", Outcome.NOT_RUN, 0.1, "[red]lost[/red]", lost=("a", "b")),
    TestResult("test", "fixed", "q6a", Outcome.UNEXPECTED_PASS, 0.2, "expected to fail"),
)


def summary(
    capsys: pytest.CaptureFixture[str], *results: TestResult, interrupted: bool = False
) -> str:
    show_summary([RUN._replace(interrupted=interrupted, tests=results)])
    return capsys.readouterr().out


RUN = TestRun(
    *("q6a", "board", "0", "1", "v68"),
    soc="QCS6490",
    started=0.0,
    seconds=3.0,
    interrupted=False,
    tests=(),
)


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def test_the_table_counts_and_names_what_is_bad(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.rstrip() for line in summary(capsys, *RESULTS).splitlines()]
    assert lines == [
        "suite   passed  failed  expected failure  skipped  seconds",
        "engine       2                         1        1      2.0",
        "test                 3                                 0.4",
        "! engine/mul: the connection was lost once: ssh q6a: closed",
        "✗ test/crash crashed: ended by SIGSEGV",
        "✗ test/gone not run: [red]lost[/red]",
        "! test/gone: the connection was lost 2 times: b",
        "✗ test/fixed unexpected pass: expected to fail",
        "4 of 7 tests succeeded on q6a QCS6490 (v68)",
    ]


def test_tests_that_did_not_run_for_one_reason_have_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ("a", "b", "c", "d", "e")
    others = [
        TestResult("t", "x", "q6a", Outcome.NOT_RUN, 0, "lost"),
        TestResult("t", "y", "q6a", Outcome.NOT_RUN, 0),
        TestResult("t", "z", "q6a", Outcome.NOT_RUN, 0),
    ]
    alike = [TestResult("t", name, "q6a", Outcome.NOT_RUN, 0, "interrupted") for name in names]
    lines = summary(capsys, *alike[:2], *others, *alike[2:], interrupted=True).splitlines()
    assert lines[2:] == [
        "✗ 5 tests not run: interrupted (t/a, t/b, t/c, … and 2 more)",
        "✗ t/x not run: lost",
        "✗ t/y not run",
        "✗ t/z not run",
        "interrupted: 0 of 8 tests succeeded on q6a QCS6490 (v68)",
    ]
    assert summary(capsys, *alike[:2]).splitlines()[2:] == [
        "✗ 2 tests not run: interrupted (t/a, t/b)",
        "0 of 2 tests succeeded on q6a QCS6490 (v68)",
    ]


def test_long_names_stay_within_the_table_and_long_reasons_on_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "q" * 100
    lines = summary(
        capsys, TestResult(name, name, "q6a", Outcome.FAILED, 1.0, "why\x1b[0m " * 30)
    ).splitlines()

    assert all(len(line) <= 80 for line in lines[:-2])
    assert "".join(lines[:-2]).count("q") == 100
    assert lines[-2].startswith(f"✗ {name}/{name} failed: why\\x1b[0m why")
    assert lines[-1] == "0 of 1 tests succeeded on q6a QCS6490 (v68)"


@pytest.mark.parametrize(
    ("variable", "value", "coloured"), [("TERM", "xterm", True), ("NO_COLOR", "1", False)]
)
def test_a_terminal_has_colours_if_it_wants_them(
    variable: str, value: str, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(variable, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)

    show_summary([RUN._replace(soc="", arch="", tests=RESULTS)])

    text = terminal.getvalue()
    assert ("\x1b[31m✗ test/crash" in text) == ("\x1b" in text) == coloured
    assert "[red]lost[/red]" in text


def test_a_line_for_each_test_and_the_output_of_bad_ones() -> None:
    events = (
        StepStarted("test/add", ""),
        TestFinished("test/add", "passed", 0.5, False, "", "fine\n"),
        TestFinished("test/crash", "crashed", 1.5, True, "ended by SIGSEGV", "one\n\x1b[2J\n"),
        TestFinished("test/half", "expected failure", 2.0, False, "no half floats", "no\n"),
    )
    bad = (
        "✗ test/crash                   crashed             1.5 s\n"
        "    ended by SIGSEGV\n"
        "    | one\n"
        "    | \\x1b[2J\n"
    )
    good = "✓ test/add                     passed              0.5 s\n"
    half = "- test/half                    expected failure    2.0 s\n    no half floats\n"
    assert drawn(*events) == good + bad + half
    assert drawn(*events, verbose=True) == good + "    | fine\n" + bad + half + "    | no\n"


def test_one_of_the_tests_that_did_not_run_for_one_reason_is_printed() -> None:
    events = [
        TestFinished(f"t/{name}", "not run", 0, True, why, "")
        for name, why in (("a", "lost"), ("b", "lost"), ("c", ""), ("d", ""), ("e", "gone"))
    ]
    printed = [line.split()[1] for line in drawn(*events).splitlines() if line[0] == "✗"]
    assert printed == ["t/a", "t/c", "t/d", "t/e"]
    assert drawn(*events, verbose=True).count("    lost\n") == 2


def test_of_long_output_the_end_is_shown() -> None:
    output = "".join(f"line {number}\n" for number in range(2000))
    text = drawn(TestFinished("t", "failed", 0.1, True, "", output))

    assert "    … 1,950 lines before; -v prints them\n    | line 1950\n" in text
    assert text.endswith("    | line 1999\n")
    assert text.count("\n") == 52


def test_on_a_terminal_the_running_test_is_shown() -> None:
    text = live(
        StepStarted("test/slow", ""), 2.0, TestFinished("test/slow", "passed", 2.0, False, "", "")
    )
    assert "test/slow" in text
    assert text.endswith("\n")
