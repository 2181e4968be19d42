"""Run steps at the same time, each after the steps that it needs."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, StepFailed, StepSkipped
from buildtool.core.processes.interrupts import signals_as_interrupt
from buildtool.core.processes.process_tree import GRACE_SECONDS, running_tools

if TYPE_CHECKING:
    from buildtool.documents.builds import ErrorObject

SIGNAL_SECONDS = 0.1
"""How long it may take until a signal is noticed."""


class Step(Protocol):
    """A step that can be scheduled: anything with a name that is unique in the schedule."""

    @property
    def name(self) -> str: ...


S = TypeVar("S", bound=Step)
R = TypeVar("R")
Needs = Mapping[str, Iterable[str]]


class StepsFailedError(BuildtoolError):
    """Several steps of a build failed; the error of each was shown when it failed."""

    code = "steps-failed"

    def as_json(self) -> ErrorObject:
        remedy = "Each failed step has its own error and diagnostics in 'steps'."
        return {**super().as_json(), "remedy": remedy}


def run_steps(
    steps: Sequence[S],
    needs: Needs,
    execute: Callable[[S], R],
    *,
    jobs: int,
    keep_going: bool = False,
    listener: Listener = lambda _: None,
) -> tuple[dict[str, R], dict[str, Exception]]:
    """Execute `steps`, at most `jobs` at once, each when the steps that it needs succeeded.

    `needs` are the names of the steps that a step needs; a name that is not in `steps` counts as
    done.  Of several steps that can start, the first in `steps` does.  A step runs in a thread of
    its own, or in the caller's when no other step can run at the same time.  After a step failed,
    no other step starts and running ones finish; with `keep_going`, only the steps that need it are
    skipped.

    Returns the results of `execute` and the errors that it raised, both by name in the order of
    `steps`.  A step in neither was skipped, which `listener` is told.  Ctrl-C, SIGTERM and SIGHUP
    end all running tools and raise `KeyboardInterrupt`.  Raises `ValueError` when steps need each
    other in a cycle.
    """
    schedule = _Schedule(steps, needs, keep_going=keep_going)
    results: dict[str, R] = {}
    ended: SimpleQueue[tuple[str, R | None, BaseException | None]] = SimpleQueue()
    threads: dict[str, threading.Thread] = {}

    def run(step: S) -> None:
        try:
            ended.put((step.name, execute(step), None))
        except BaseException as error:
            ended.put((step.name, None, error))

    with signals_as_interrupt(), running_tools() as tools:
        try:
            while True:
                ready = schedule.ready()[: max(jobs - len(threads), 0)]
                if len(ready) == 1 and not threads:
                    run(schedule.start(ready[0]))
                else:
                    for name in ready:
                        context = contextvars.copy_context()
                        threads[name] = threading.Thread(
                            target=context.run, args=(run, schedule.start(name)), daemon=True
                        )
                        threads[name].start()
                if not ready and not threads:
                    break
                name, result, error = _next(ended)
                threads.pop(name, None)
                if error is not None and not isinstance(error, Exception):
                    raise error
                schedule.finish(name, error)
                if not error:
                    results[name] = result  # type: ignore[assignment]  # it returned that
        except BaseException:
            tools.terminate()
            _wait_for(threads.values())
            raise
    for name, blamed in schedule.skipped().items():
        listener(StepSkipped(name, blamed))
    in_order = [step.name for step in steps]
    return (
        {name: results[name] for name in in_order if name in results},
        {name: schedule.failed[name] for name in in_order if name in schedule.failed},
    )


def raise_failures(
    failures: Mapping[str, Exception], listener: Listener, *, keep_going: bool = False
) -> None:
    """Raise the failures of a schedule, if there are any.

    Raises the error of the first step that failed, after `listener` was told of the others; with
    `keep_going`, `StepsFailedError` after `listener` was told of all.  An error that is not a
    `BuildtoolError` is a fault of this program and is raised as it is.
    """
    errors: dict[str, BuildtoolError] = {}
    for name, error in failures.items():
        if not isinstance(error, BuildtoolError):
            raise error
        errors[name] = error
    # One mistake, such as in an IDL file, can make several steps fail with the same message.
    names = {str(error): name for name, error in reversed(errors.items())}
    first, *others = [name for name in errors if name in names.values()] or [""]
    together = keep_going and others
    for name in [first, *others] if together else others:
        listener(StepFailed(name, errors[name]))
    if together:
        raise StepsFailedError(
            f"{len(errors)} steps failed: {', '.join(errors)}",
            remedy="The error of each step is above.",
        )
    if errors:
        raise errors[first]


class _Schedule(Generic[S]):
    """Which steps wait, are done, or failed.  Only one thread uses it."""

    def __init__(self, steps: Sequence[S], needs: Needs, *, keep_going: bool) -> None:
        names = {step.name for step in steps}
        self.waiting = {step.name: step for step in steps}
        self.needs = {name: names.intersection(needs.get(name, ())) for name in names}
        self.done: set[str] = set()
        self.failed: dict[str, Exception] = {}
        self.keep_going = keep_going

    def ready(self) -> list[str]:
        """The names of the steps that can start now, in order."""
        if self.failed and not self.keep_going:
            return []
        return [name for name in self.waiting if self.needs[name] <= self.done]

    def start(self, name: str) -> S:
        return self.waiting.pop(name)

    def finish(self, name: str, error: Exception | None) -> None:
        if error:
            self.failed[name] = error
        else:
            self.done.add(name)

    def skipped(self) -> dict[str, str]:
        """The steps that were not started, each with the first failed step that it needs, directly
        or through others; "" for none."""
        users: dict[str, list[str]] = {}
        for name in self.waiting:
            for need in self.needs[name]:
                users.setdefault(need, []).append(name)
        blamed = dict.fromkeys(self.waiting, "")
        for failed in self.failed:
            reached = [failed]
            for name in reached:
                unblamed = [user for user in users.get(name, ()) if not blamed[user]]
                blamed.update(dict.fromkeys(unblamed, failed))
                reached += unblamed
        if blamed and not self.failed:
            raise ValueError(f"these steps need each other in a cycle: {', '.join(blamed)}")
        return blamed


def _next(ended: SimpleQueue[R]) -> R:
    """Wait for the next item.

    A single wait without a limit could miss a signal: when it arrives just before Python begins to
    wait, while another thread takes the interpreter lock, it is handled only after the wait.
    """
    while True:
        try:
            return ended.get(timeout=SIGNAL_SECONDS)
        except Empty:
            continue


def _wait_for(threads: Iterable[threading.Thread]) -> None:
    """Wait for `threads` to end, for as long as their tools have to end after a signal."""
    deadline = time.monotonic() + GRACE_SECONDS + 1
    for thread in list(threads):
        thread.join(max(deadline - time.monotonic(), 0))
