"""The order of steps, and the effect of failures."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Event, StepFailed, StepSkipped
from buildtool.engine.scheduler import StepsFailedError, raise_failures, run_steps


@dataclass(frozen=True)
class Step:
    name: str


def steps(names: str) -> list[Step]:
    return [Step(name) for name in names]


class Work:
    """The work of steps, of which those in `bad` fail; records the order and the threads."""

    def __init__(self, bad: str = "") -> None:
        self.bad = bad
        self.started: list[str] = []
        self.threads: set[int] = set()

    def __call__(self, step: Step) -> str:
        self.started.append(step.name)
        self.threads.add(threading.get_ident())
        if step.name in self.bad:
            raise BuildtoolError(f"{step.name} failed")
        return step.name.upper()


def test_results_and_failures_are_in_the_order_of_the_steps() -> None:
    results, failures = run_steps(steps("cabd"), {"c": "a"}, Work("b"), jobs=4, keep_going=True)

    assert list(results.items()) == [("c", "C"), ("a", "A"), ("d", "D")]
    assert [str(error) for error in failures.values()] == ["b failed"]


def test_one_job_runs_all_in_the_caller_s_thread_in_the_order_of_needs() -> None:
    work = Work()
    run_steps(steps("abcd"), {"a": ["c"], "b": ["nothing here"]}, work, jobs=1)

    assert work.started == ["b", "c", "a", "d"]
    assert work.threads == {threading.get_ident()}


def test_a_chain_needs_no_thread_however_many_jobs_there_are() -> None:
    work = Work()
    run_steps(steps("abc"), {"b": "a", "c": "b"}, work, jobs=8)

    assert work.started == ["a", "b", "c"]
    assert work.threads == {threading.get_ident()}


def test_steps_that_need_nothing_of_each_other_run_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=20)

    results, _ = run_steps(steps("abc"), {}, lambda _: together.wait() >= 0, jobs=3)

    assert results == {"a": True, "b": True, "c": True}


def test_no_more_than_jobs_run_at_the_same_time() -> None:
    lock, running, most = threading.Lock(), 0, 0
    pause = threading.Event()

    def work(_: Step) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        pause.wait(0.01)
        with lock:
            running -= 1

    run_steps(steps("abcdefgh"), {}, work, jobs=3)

    assert most == 3


def test_a_failure_stops_new_steps_and_lets_running_ones_finish() -> None:
    failed, events = threading.Event(), list[Event]()
    started = threading.Barrier(2, timeout=20)

    def work(step: Step) -> str:
        if step.name == "a":
            started.wait()
            failed.set()
            raise BuildtoolError("a failed")
        started.wait()
        assert failed.wait(20)
        return step.name

    results, failures = run_steps(steps("abcd"), {"d": "a"}, work, jobs=2, listener=events.append)

    assert results == {"b": "b"}
    assert list(failures) == ["a"]
    assert events == [StepSkipped("c", ""), StepSkipped("d", "a")]


def test_a_build_that_keeps_going_leaves_out_what_needs_a_failed_step() -> None:
    events = list[Event]()
    work = Work("a")
    needs = {"b": "a", "c": "b", "d": "e"}
    results, failures = run_steps(
        steps("abcde"), needs, work, jobs=2, keep_going=True, listener=events.append
    )

    assert (list(results), list(failures)) == (["d", "e"], ["a"])
    assert events == [StepSkipped("b", "a"), StepSkipped("c", "a")]


def test_steps_that_need_each_other_are_an_error() -> None:
    work = Work()
    with pytest.raises(ValueError, match="in a cycle: a, b"):
        run_steps(steps("abc"), {"a": "b", "b": "a"}, work, jobs=2)
    assert work.started == ["c"]


def test_an_interrupted_step_interrupts_all() -> None:
    def work(step: Step) -> None:
        if step.name == "b":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_steps(steps("abcd"), {}, work, jobs=2)


@given(st.data())
def test_every_step_runs_once_after_all_that_it_needs(data: st.DataObject) -> None:
    names = [f"s{number}" for number in range(data.draw(st.integers(1, 12)))]
    needs: Mapping[str, list[str]] = {
        name: data.draw(st.lists(st.sampled_from(names[:number]), unique=True))
        for number, name in enumerate(names)
        if number
    }
    bad = set(data.draw(st.lists(st.sampled_from(names), max_size=2)))
    order = data.draw(st.permutations(names))
    done = list[str]()
    skipped = list[str]()

    def work(step: Step) -> None:
        assert set(needs.get(step.name, ())) <= set(done)
        if step.name in bad:
            raise BuildtoolError("no")
        done.append(step.name)

    results, failures = run_steps(
        [Step(name) for name in order],
        needs,
        work,
        jobs=data.draw(st.integers(1, 4)),
        keep_going=True,
        listener=lambda event: skipped.append(getattr(event, "name", "")),
    )

    doomed = set(bad)
    for name in names:
        if doomed & set(needs.get(name, ())):
            doomed.add(name)
    assert set(results) == set(done) == set(names) - doomed
    assert len(done) == len(set(done))
    assert sorted([*failures, *skipped]) == sorted(doomed)


def test_steps_that_are_skipped_name_the_first_failed_one_that_they_need() -> None:
    skipped: list[Event] = []
    needs = {"c": "a", "d": "cb", "e": "d", "f": "b", "g": ""}

    run_steps(
        steps("abcdefg"),
        needs,
        Work("ab"),
        jobs=1,
        keep_going=True,
        listener=skipped.append,
    )

    assert skipped == [
        StepSkipped(name, needed)
        for name, needed in [("c", "a"), ("d", "a"), ("e", "a"), ("f", "b")]
    ]


def test_a_long_chain_of_steps_that_need_a_failed_one_is_skipped() -> None:
    names = [f"s{number}" for number in range(5000)]
    skipped: list[Event] = []

    run_steps(
        [Step(name) for name in names],
        {name: [before] for before, name in itertools.pairwise(names)},
        Work("s0"),
        jobs=1,
        listener=skipped.append,
    )

    assert skipped == [StepSkipped(name, "s0") for name in names[1:]]


def errors(names: str) -> dict[str, Exception]:
    return {name: UsageError(f"{name} failed") for name in names}


def test_nothing_is_raised_when_nothing_failed() -> None:
    raise_failures({}, lambda _: None)


def test_the_first_failure_is_raised_and_the_others_are_shown() -> None:
    events = list[Event]()
    failures = errors("abc")
    with pytest.raises(UsageError, match="a failed"):
        raise_failures(failures, events.append)

    assert [event.name for event in events if isinstance(event, StepFailed)] == ["b", "c"]


def test_failures_of_a_build_that_kept_going_are_all_shown_and_named() -> None:
    events = list[Event]()
    with pytest.raises(StepsFailedError, match="2 steps failed: a, b"):
        raise_failures(errors("ab"), events.append, keep_going=True)
    assert [event.name for event in events if isinstance(event, StepFailed)] == ["a", "b"]

    with pytest.raises(UsageError, match="a failed"):
        raise_failures(errors("a"), events.append, keep_going=True)


def test_a_mistake_of_our_own_is_raised_as_it_is() -> None:
    with pytest.raises(KeyError):
        raise_failures({**errors("a"), "b": KeyError("x")}, lambda _: None, keep_going=True)


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_mistake_that_fails_several_steps_is_reported_once(keep_going: bool) -> None:
    shown: list[Event] = []
    failures = {"a": UsageError("wrong"), "b": BuildtoolError("other"), "c": UsageError("wrong")}

    with pytest.raises(BuildtoolError) as raised:
        raise_failures(failures, shown.append, keep_going=keep_going)

    failed = [event.name for event in shown if isinstance(event, StepFailed)]
    assert failed == (["a", "b"] if keep_going else ["b"])
    assert isinstance(raised.value, StepsFailedError if keep_going else UsageError)
