"""The programs of `[test.NAME]` as a suite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import without_colours
from buildtool.core.processes.signals import signal_name
from buildtool.project.model import Test
from buildtool.project.runs import seconds
from buildtool.run.method_counts import with_names, with_parameters
from buildtool.run.program import RunRequest, farf_levels, variables
from buildtool.testing.results import Outcome, TestResult, after_dsp_crash
from buildtool.testing.session import LostError, Ran, Session

SUITE = "test"
KEPT_BYTES = 1 << 20


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

    def _run(self, session: Session, name: str, test: Test) -> TestResult:
        request = RunRequest(
            command=(test.program, *test.args),
            env=variables(test.env),
            cwd=test.cwd,
            timeout=seconds(test.timeout) if test.timeout else self._timeout,
            farf=farf_levels(test.farf),
        )
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
            lost=ran.lost,
            methods=with_names(session.project, ran.methods),
            failed=with_parameters(session.project, ran.failed),
        )
        return after_dsp_crash(ended, "" if test.dsp_may_crash else ran.dsp_crash)


def verdict(ran: Ran, timeout: float) -> tuple[Outcome, str]:
    """The outcome of a test whose program ended so, and in a line why it did not pass."""
    if ran.signal is not None:
        return Outcome.CRASHED, f"ended by {signal_name(ran.signal)}"
    if ran.status is None:
        return Outcome.TIMED_OUT, f"did not end in {timeout:g} s"
    if ran.status:
        return Outcome.FAILED, f"exit status {ran.status}"
    if ran.calls is not None and not ran.calls.successful:
        return Outcome.FAILED, next(ran.calls.lines())
    return Outcome.PASSED, ""
