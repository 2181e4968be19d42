"""The live line of other work than builds: what is sent or fetched, and numbers of tests."""

from __future__ import annotations

import pytest

from buildtool.core.events import StepStarted, TestFinished, TestsCounted, WorkEnded, Working
from tests.unit.cli.drawn import LIVE, TICK, drawn, live

pytestmark = pytest.mark.usefixtures("plain_terminal")


def test_work_that_takes_long_is_shown_and_nothing_is_left_of_it() -> None:
    events = (
        Working("sending to q6a", ""),
        0.2,
        Working("sending to q6a", "1 of 8 MB"),
        0.2,
        Working("sending to q6a", "3 of 8 MB, 5.0 MB/s, 1 s left"),
        WorkEnded("sending to q6a"),
        Working("sending to q6a", "from a thread that has not ended"),
        1.0,
        TICK,
    )
    shown = "  sending to q6a 0 s  3 of 8 MB, 5.0 MB/s, 1 s left"
    assert live(*events, quiet=True) == f"{LIVE}{shown}{LIVE}"
    assert drawn(*events) == drawn(*events, 60.0, TICK) == ""


def test_tests_are_counted() -> None:
    def finished(name: str) -> TestFinished:
        return TestFinished(name, "passed", 0.5, False, "", "")

    shown = live(
        TestsCounted(0, 40),
        StepStarted("t/a", ""),
        StepStarted("t/b", ""),
        12.0,
        finished("t/a"),
        TestsCounted(1, 40),
        finished("t/b"),
        TestsCounted(2, 0),
        StepStarted("t/c", ""),
        1.0,
        TICK,
        finished("t/c"),
        TestsCounted(0, 0),
    )
    assert f"{LIVE}  1/40  t/b 12 s{LIVE}" in shown
    assert f"{LIVE}  2  t/c 1 s{LIVE}" in shown
    assert shown.endswith("0.5 s\n")
