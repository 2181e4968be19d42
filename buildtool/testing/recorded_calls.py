"""Tests that repeat recorded calls of the DSP, whose results have to be the recorded ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping

from buildtool.core.errors import BuildtoolError
from buildtool.project.model import Project, Test
from buildtool.project.runs import seconds
from buildtool.run.recorded.compare import compare
from buildtool.run.recorded.recording import Recording
from buildtool.run.recorded.repeat import Repeat, repeated
from buildtool.run.run import RunTimeoutError
from buildtool.testing.results import Outcome, TestResult
from buildtool.testing.session import Session

SUITE = "calls"


class RecordedCalls:
    """Tests that have `calls`; those without a timeout have `timeout` seconds."""

    name = SUITE

    def __init__(self, project: Project, tests: Mapping[str, Test], timeout: float) -> None:
        self._project = project
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
        started = time.monotonic()
        result = TestResult(SUITE, name, session.ready.site.device.name, Outcome.NOT_RUN, 0)
        limit = seconds(test.timeout) if test.timeout else self._timeout
        repeat = Repeat(session.choice, timeout=limit)
        try:
            recorded = Recording(self._project.root / test.calls)
            with repeated(self._project, session.ready, recorded, repeat, session.lock) as again:
                found = compare(self._project, recorded, again, same_inputs=True)
        except RunTimeoutError as error:
            return result._replace(outcome=Outcome.TIMED_OUT, message=error.message)
        except BuildtoolError as error:
            return result._replace(message=error.message, output=str(error))
        result = result._replace(seconds=time.monotonic() - started, outcome=Outcome.PASSED)
        if found.first or found.missing:
            text = "\n".join(found.first.lines() if found.first else ())
            message = text.partition("\n")[0] or f"{found.missing} calls were not repeated"
            return result._replace(outcome=Outcome.FAILED, message=message, output=text)
        return result
