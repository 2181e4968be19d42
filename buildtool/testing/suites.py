"""Puts together the suites of a project, and runs them.

`test --shard I/N` selects a part of them.

The programs of `[test.NAME]` are a suite, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Protocol

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.escape import without_colours
from buildtool.core.events import Listener, StepStarted, TestFinished, TestsCounted, WorkEnded
from buildtool.core.processes.interrupts import signal_name
from buildtool.engine.shards import Shard
from buildtool.project.model import Project, Test
from buildtool.project.runs import seconds
from buildtool.project.tables import suggest
from buildtool.run.method_counts import with_names, with_parameters
from buildtool.run.program import RunRequest, farf_levels, variables
from buildtool.run.run import RunTimeoutError
from buildtool.testing.budgets import Sizes, within_budget
from buildtool.testing.ctest.suite import CTestSuites
from buildtool.testing.pytest_suite import PytestSuite
from buildtool.testing.results import (
    BAD,
    Outcome,
    TestResult,
    TestRun,
    after_dsp_crash,
    as_expected,
    last_line,
    matches,
    title,
)
from buildtool.testing.session import LostError, Ran, Session

TIMEOUT = 300.0
"""Seconds that a test has by default."""
Begin = Callable[[str], None]
Selected = list[tuple["Suite", Collection[str] | None]]
"""Suites, and the names of their tests that run; None for all."""
SUITE = "test"
KEPT_BYTES = 1 << 20


class Suite(Protocol):
    """Tests that run together."""

    @property
    def name(self) -> str:
        """The suite in reports and patterns."""

    def names(self) -> Sequence[str]:
        """The names of its tests."""

    def known_names(self) -> Sequence[str]:
        """The names of its tests if they are known; otherwise the name of the suite."""

    def run(
        self, session: Session, names: Collection[str] | None, begin: Begin
    ) -> Iterable[TestResult]:
        """Run the tests `names`, all of them if it is None; a bad test does not stop the others.
        `begin` is called with the name of each test that begins, if that is known."""


def find_suites(project: Project, timeout: float, session: Session | None = None) -> list[Suite]:
    """The suites of `project`, those of CTest only with a session; tests without a timeout of their
    own have `timeout` seconds."""
    suites: list[Suite] = [*CTestSuites(session, timeout).suites] if session else []
    programs = {name: test for name, test in project.tests.items() if test.program}
    if programs:
        suites.append(Programs(programs, timeout))
    if calls := {name: test for name, test in project.tests.items() if test.calls}:
        suites.append(RecordedCalls(calls, timeout))
    sizes = Sizes(project)
    if sizes.names():
        suites.append(sizes)
    for name, test in project.tests.items():
        if test.pytest:
            suites.append(PytestSuite(project, name, test, timeout))
    return suites


def select(suites: Sequence[Suite], patterns: Sequence[str]) -> Selected:
    """The tests that `patterns` select, by suite; all of them without patterns.  Raises
    `UsageError` when a pattern selects none."""
    if not patterns:
        return [(suite, None) for suite in suites]
    known = [(suite, suite.names()) for suite in suites]
    for pattern in patterns:
        if not any(matches(suite.name, n, [pattern]) for suite, names in known for n in names):
            titles = [title(suite.name, name) for suite, names in known for name in names]
            raise UsageError(f"there is no test {pattern!r}", remedy=suggest(pattern, titles))
    chosen = [(s, [n for n in names if matches(s.name, n, patterns)]) for s, names in known]
    return [(suite, names) for suite, names in chosen if names]


def names_of(selected: Selected) -> list[tuple[str, str]]:
    """Suite and name of the selected tests."""
    return [
        (suite.name, name)
        for suite, names in selected
        for name in (suite.names() if names is None else names)
    ]


def no_tests() -> UsageError:
    """The error for a project without tests."""
    return UsageError(
        "the project has no tests",
        why="buildtool.toml has no [test.NAME], and no component calls"
        " enable_testing() and add_test() in CMake",
        remedy='Add one: [test.unit] with program = "bin/unit-test"',
    )


def run_suites(selected: Selected, session: Session, listener: Listener) -> TestRun:
    """Run the tests, one suite after another; `listener` gets each result.

    The results of a suite have the order of its tests, which may have run at the same time.  After
    Ctrl-C, the tests without a result are not run.
    """
    begun, started = time.time(), time.monotonic()
    results: list[TestResult] = []
    interrupted = False

    def counted() -> None:
        listener(TestsCounted(len(results), _count(selected)))

    try:
        for suite, names in selected:
            with closing(_run(suite, session, names, listener, counted)) as ended:
                for found in ended:
                    request = suite.request(found.name) if type(suite) is Programs else None
                    judged = within_budget(session, found, request)
                    result = as_expected(judged, session.project.expected_failures, session.tags)
                    results.append(result)
                    ended_as = result.outcome.value, result.seconds, result.outcome in BAD
                    name = title(result.suite, result.name)
                    listener(TestFinished(name, *ended_as, result.message, result.output))
                    counted()
    except KeyboardInterrupt:
        interrupted = True
        results += _not_run(selected, results, session.ready.site.device.name)
    finally:
        listener(TestsCounted(0, 0))
    results = _in_order(selected, results)
    ready = session.ready
    return TestRun(
        **ready.names,
        soc=ready.soc,
        started=begun,
        seconds=time.monotonic() - started,
        interrupted=interrupted,
        tests=tuple(results),
        firmware=", ".join(session.card.firmware) if session.card else "",
    )


def _count(selected: Selected) -> int:
    """The number of tests; 0 while those of a suite are unknown."""
    total = 0
    for suite, names in selected:
        known = suite.known_names() if names is None else names
        if names is None and list(known) == [suite.name]:
            return 0
        total += len(known)
    return total


def _in_order(selected: Selected, results: Sequence[TestResult]) -> list[TestResult]:
    """`results` by suite, and by test if the suite knows its tests."""
    known = [(suite.name, name) for suite, _ in selected for name in suite.known_names()]
    suites = {suite.name: at for at, (suite, _) in enumerate(selected)}
    places = {key: at for at, key in enumerate(known)}
    return sorted(
        results,
        key=lambda result: (
            suites.get(result.suite, len(suites)),
            places.get((result.suite, result.name), len(places)),
        ),
    )


def _not_run(
    selected: Selected, results: Sequence[TestResult], device: str
) -> Iterator[TestResult]:
    """The tests that were interrupted or come after that; a suite whose tests are not known is one
    test."""
    done = {(result.suite, result.name) for result in results}
    for suite, names in selected:
        for name in suite.known_names() if names is None else names:
            if (suite.name, name) not in done:
                yield TestResult(suite.name, name, device, Outcome.NOT_RUN, 0, "interrupted")


def _run(
    suite: Suite,
    session: Session,
    names: Collection[str] | None,
    listener: Listener,
    counted: Callable[[], None],
) -> Generator[TestResult, None, None]:
    """The results of a suite; one that cannot run is a bad test, and others follow.  `counted` is
    called when a test begins: then the tests are known."""
    started = time.monotonic()
    begun: list[str] = []

    def begin(name: str) -> None:
        counted()
        begun.append(title(suite.name, name))
        listener(StepStarted(begun[-1], ""))

    try:
        yield from suite.run(session, names, begin)
    except BuildtoolError as error:
        yield TestResult(
            suite.name,
            suite.name,
            session.ready.site.device.name,
            Outcome.NOT_RUN,
            time.monotonic() - started,
            error.message,
            str(error),
        )
    finally:
        for name in begun:  # those without a result must not stay on the screen
            listener(WorkEnded(name))


def in_shard(selected: Selected, shard: Shard) -> Selected:
    """The selected tests of `shard`: each test is in one of the shards, and neighbours, which often
    take equally long, are in different ones.

    The order in which a suite lists its tests makes no difference: with pytest-randomly, each
    process has another one.
    """
    before = 0
    found: Selected = []
    for suite, names in selected:
        known = suite.names() if names is None else names
        ranked = sorted(set(known))
        mine = set(ranked[(shard.number - 1 - before) % shard.total :: shard.total])
        before += len(ranked)
        if mine:
            found.append((suite, [name for name in known if name in mine]))
    return found


class Programs:
    """Tests that have a `program`; those without a timeout have `timeout` seconds."""

    name = SUITE

    def __init__(self, tests: Mapping[str, Test], timeout: float) -> None:
        self._tests = tests
        self._timeout = timeout

    def names(self) -> tuple[str, ...]:
        return tuple(self._tests)

    known_names = names

    def run(
        self, session: Session, names: Collection[str] | None, begin: Callable[[str], None]
    ) -> Iterator[TestResult]:
        for name in self._tests if names is None else names:
            begin(name)
            yield self._run(session, name, self._tests[name])

    def request(self, name: str) -> RunRequest:
        """What runs for the test `name`."""
        test = self._tests[name]
        return RunRequest(
            command=(test.program, *test.args),
            env=variables(test.env),
            cwd=test.cwd,
            timeout=seconds(test.timeout) if test.timeout else self._timeout,
            farf=farf_levels(test.farf),
        )

    def _run(self, session: Session, name: str, test: Test) -> TestResult:
        request = self.request(name)
        result = TestResult(SUITE, name, session.ready.site.device.name, Outcome.NOT_RUN, 0)
        try:
            ran = session.run(request, together=True, limit=KEPT_BYTES, afresh=True)
        except BuildtoolError as error:
            lost = error.lost if isinstance(error, LostError) else ()
            return result._replace(message=error.message, output=str(error), lost=lost)
        outcome, message = verdict(ran, request.timeout)
        ended = result._replace(
            outcome=outcome,
            seconds=ran.seconds,
            message=message,
            output=without_colours("\n".join(filter(None, (ran.stdout, ran.explained)))),
            said=last_line(without_colours(ran.stdout)),
            lost=ran.lost,
            methods=with_names(session.method_names, ran.methods),
            calls=ran.calls,
            failed=with_parameters(session.method_names, ran.failed),
        )
        return after_dsp_crash(ended, "" if test.dsp_may_crash else ran.dsp_crash)


class RecordedCalls(Programs):
    """Tests that have `calls`: recorded ones are repeated, and have the recorded results."""

    name = "calls"

    def _run(self, session: Session, name: str, test: Test) -> TestResult:
        from buildtool.run.recorded.compare import compare  # noqa: PLC0415 - few have such tests
        from buildtool.run.recorded.recording import Recording  # noqa: PLC0415 - as above
        from buildtool.run.recorded.repeat import Repeat, repeated  # noqa: PLC0415 - as above

        started, project = time.monotonic(), session.project
        result = TestResult(self.name, name, session.ready.site.device.name, Outcome.NOT_RUN, 0)
        limit = seconds(test.timeout) if test.timeout else self._timeout
        repeat = Repeat(session.choice, timeout=limit)
        try:
            recorded = Recording(project.root / test.calls)
            with repeated(project, session.ready, recorded, repeat, session.lock) as again:
                found = compare(project, recorded, again, same_inputs=True)
        except RunTimeoutError as error:
            return result._replace(outcome=Outcome.TIMED_OUT, message=error.message)
        except BuildtoolError as error:
            return result._replace(message=error.message, output=str(error))
        result = result._replace(seconds=time.monotonic() - started, outcome=Outcome.PASSED)
        if found.first or found.missing:
            lines = found.first.lines() if found.first else ()
            message = lines[0] if lines else f"{found.missing} calls were not repeated"
            return result._replace(outcome=Outcome.FAILED, message=message, output="\n".join(lines))
        return result


def verdict(ran: Ran, timeout: float) -> tuple[Outcome, str]:
    """The outcome of a test whose program ended so, and in a line why it did not pass."""
    if ran.signal is not None:
        return Outcome.CRASHED, f"ended by {signal_name(ran.signal)}"
    if ran.status is None:
        return Outcome.TIMED_OUT, f"did not end in {timeout:g} s"
    if ran.status:
        return Outcome.FAILED, f"exit status {ran.status}"
    if ran.calls is not None and ran.calls.problem:
        return Outcome.FAILED, ran.calls.problem
    return Outcome.PASSED, ""
