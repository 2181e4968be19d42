"""After an interrupt, no test is left that runs on the screen, and no thread takes the signal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Collection, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Event, StepStarted, TestFinished, WorkEnded
from buildtool.core.processes.interrupts import held_interrupts, signals_as_interrupt
from buildtool.deploy.contents import ReleaseOnDevice
from buildtool.testing.results import Outcome, TestResult
from buildtool.testing.session import Session
from buildtool.testing.suites import run_suites


class Suite:
    """Two tests begin, one ends, and then `error` is raised."""

    name = "unit"

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def names(self) -> tuple[str, ...]:
        return ("first", "second", "third")

    known_names = names

    def run(
        self, session: Session, names: Collection[str] | None, begin: Callable[[str], None]
    ) -> Iterator[TestResult]:
        self.asked = session, names
        begin("first")
        begin("second")
        yield TestResult(self.name, "first", "sim", Outcome.PASSED, 1)
        raise self._error


SESSION: Any = SimpleNamespace(
    project=SimpleNamespace(expected_failures={}, budgets={}),
    tags=frozenset(),
    card=None,
    ready=SimpleNamespace(
        site=SimpleNamespace(device=SimpleNamespace(name="sim")),
        names=dict.fromkeys(ReleaseOnDevice._fields, ""),
        soc="",
    ),
)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BuildtoolError("gone")])
def test_what_has_begun_ends_on_the_screen(error: BaseException) -> None:
    events: list[Event] = []
    done = run_suites([(Suite(error), None)], cast("Session", SESSION), events.append)

    running: set[str] = set()
    for event in events:
        if isinstance(event, StepStarted):
            running.add(event.name)
        if isinstance(event, TestFinished | WorkEnded):
            running.discard(event.name)
    assert not running
    assert done.interrupted == isinstance(error, KeyboardInterrupt)


def test_a_thread_that_holds_interrupts_leaves_them_to_the_main_thread() -> None:
    holds, ended = threading.Event(), threading.Event()
    raised: list[BaseException] = []

    def hold() -> None:
        try:
            with held_interrupts() as interrupts:
                holds.set()
                ended.wait()
                interrupts.allow()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=hold)
    with signals_as_interrupt():
        thread.start()
        holds.wait()
        try:
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
        finally:
            ended.set()
            thread.join()
    assert not raised
