"""The tests of a `[test.NAME]` that pytest runs."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.kept_output import KeptOutput, teed
from buildtool.core.processes.process import DEVNULL, running
from buildtool.core.processes.signals import signal_name
from buildtool.project.model import Project, Test
from buildtool.project.runs import seconds
from buildtool.run.program import NO_VARIABLES, variables
from buildtool.testing.pytest.names import TEST_VARIABLE
from buildtool.testing.results import Outcome, TestResult, result_from_json
from buildtool.testing.session import Session

KEPT_BYTES = 1 << 20
FINISHED = (0, 1)
NO_TESTS = 5
"""Exit statuses of pytest: all passed, some failed, there were none.  Source: pytest.ExitCode."""


class PytestSuite:
    """The tests in the paths of a test; programs that they run have `timeout` seconds."""

    def __init__(self, project: Project, name: str, test: Test, timeout: float) -> None:
        self.name = name
        self._project = project
        self._test = test
        self._root = str(project.root)
        self._timeout = seconds(test.timeout) if test.timeout else timeout

    def names(self) -> tuple[str, ...]:
        """The ids of the tests.  Raises `BuildtoolError` when pytest cannot collect them."""
        pytest = _Pytest(self._project, self._test, ["--collect-only"], {})
        for record in pytest.records():
            match record:
                case {"collected": [*ids], "root": str(root)}:
                    self._root = root  # which the ids are relative to
                    return tuple(map(str, ids))
        raise pytest.error(self.name)

    def known_names(self) -> tuple[str, ...]:
        return (self.name,)

    def run(
        self, session: Session, names: Collection[str] | None, begin: Callable[[str], None]
    ) -> Iterator[TestResult]:
        session.reset()  # for all of its tests: they may also read what others of them wrote
        device = session.ready.site.device.name
        told = {
            "choice": session.choice._asdict(),
            "options": session.options._asdict(),
            "timeout": self._timeout,
            "dsp_may_crash": self._test.dsp_may_crash,
            "directory": session.directory,
        }
        chosen = None if names is None else [f"{self._root}/{name}" for name in names]
        pytest = _Pytest(
            self._project,
            self._test,
            [f"--buildtool-device={device}"],
            told,
            chosen=chosen,
            environment=session.lock.environment,
        )
        collected: dict[str, None] = {}
        begun: set[str] = set()
        ended: set[str] = set()
        bad = 0
        for record in pytest.records():
            match record:
                case {"collected": [*ids]}:
                    collected |= dict.fromkeys(map(str, ids))
                case {"begins": str(name)}:
                    begun.add(name)
                    begin(name)
                case _:
                    try:
                        row = {**record, "suite": self.name, "device": device}
                        result = result_from_json(row)
                    except ValueError:
                        continue  # tests can write there too
                    ended.add(result.name)
                    bad += result.outcome is Outcome.NOT_RUN
                    yield result
        missing = [name for name in collected if name not in ended]
        if not (missing or bad) and not (collected and pytest.status in FINISHED):
            missing, begun = [self.name], {self.name}
        error = pytest.error(self.name)
        for name in missing:
            result = TestResult(self.name, name, device, Outcome.NOT_RUN, 0, error.message)
            if name not in begun:
                yield result._replace(message=f"it did not begin: {error.message}")
            elif pytest.status < 0:
                yield result._replace(outcome=Outcome.CRASHED, output=error.why)
            else:
                yield result._replace(output=error.why)


class _Pytest:
    """One run of pytest; `status` is its exit status at the end, negative for a signal."""

    def __init__(
        self,
        project: Project,
        test: Test,
        options: list[str],
        told: dict[str, Any],
        *,
        chosen: Collection[str] | None = None,
        environment: Mapping[str, str] = NO_VARIABLES,
    ) -> None:
        self._environment = {**environment, **variables(test.env)}
        self._project = project
        self._test = test
        self._arguments = [*options, *(test.pytest if chosen is None else chosen)]
        self._told = told
        self._output = ""
        self.status = 0

    def records(self) -> Iterator[dict[str, Any]]:
        """The records that `Records` writes, as they come."""
        if not importlib.util.find_spec("pytest"):
            raise BuildtoolError(
                "pytest is not installed",
                why=f"{sys.executable} has no module of this name",
                remedy=f"Install it beside buildtool: {sys.executable} -m pip install pytest",
            )
        with ExitStack() as stack:
            written = KeptOutput(tail=KEPT_BYTES)
            output = stack.enter_context(teed(written))
            read, write = os.pipe()
            stream = stack.enter_context(os.fdopen(read, encoding="ascii", errors="replace"))
            told = json.dumps({**self._told, "records": write})
            try:
                process = stack.enter_context(
                    running(
                        [sys.executable, "-m", "pytest", "-p", "buildtool", *self._arguments],
                        env={**os.environ, **self._environment, TEST_VARIABLE: told},
                        cwd=self._project.root,
                        stdin=DEVNULL,
                        stdout=output,
                        stderr=output,
                        pass_fds=[write],
                    )
                )
            finally:
                os.close(write)
            for line in stream:
                if record := _parsed(line):
                    yield record
            self.status = process.wait()
        self._output = written.kept().text

    def error(self, name: str) -> BuildtoolError:
        """Why pytest did not run the tests."""
        ended = f"status {self.status}" if self.status >= 0 else signal_name(-self.status)
        none = self.status == NO_TESTS
        return BuildtoolError(
            f"pytest found no tests in [test.{name}]" if none else f"pytest ended with {ended}",
            why=self._output,
            remedy=f"Run it by hand: python -m pytest {' '.join(self._test.pytest)}",
        )


def _parsed(line: str) -> dict[str, Any]:
    """A record; nothing for the last line of a process that was killed, and for what a test wrote
    to the descriptor of the records."""
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        if isinstance(record, dict):
            return record
    return {}
