"""The tests of a `[test.NAME]` that pytest runs, and the fixture `device` of its plugin."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.interrupts import signal_name
from buildtool.core.processes.kept_output import KeptOutput, teed
from buildtool.core.processes.process import DEVNULL, running
from buildtool.core.value import Value
from buildtool.project.model import Project, Test
from buildtool.project.runs import LONGEST, seconds
from buildtool.run.method_counts import MethodCounts, with_names
from buildtool.run.program import NO_VARIABLES, RunRequest, variables
from buildtool.run.run import RunTimeoutError
from buildtool.testing import TEST_VARIABLE
from buildtool.testing.results import Outcome, TestResult, last_line, result_from_json
from buildtool.testing.session import Session

KEPT_BYTES = 1 << 20
FINISHED = (0, 1)
NO_TESTS = 5
"""Exit statuses of pytest: all passed, some failed, there were none.  Source: pytest.ExitCode."""
SHOWN = 4000


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
                    yield result._replace(said=last_line(result.output))
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


class Result(Value):
    """How a program ended: `status` is its exit status, 128+n if signal n ended it; `signal` is n,
    else 0.

    `dsp_crash` says in a line how the DSP process crashed, else it is "".
    Bytes of `stdout` and `stderr` that are not UTF-8 are decoded as in file names (PEP 383).
    `seconds` is the wall time.  `methods` are the counts of an emulated DSP, one for each method
    that was called.
    """

    status: int
    signal: int
    stdout: str
    stderr: str
    seconds: float
    dsp_crash: str = ""
    methods: tuple[MethodCounts, ...] = ()


class TestDevice:
    """A device on which tests run programs of the project's release.

    `name` is its name, `soc` its SoC ("" if unknown), `arch` the DSP arch whose skels it has ("" if
    none), and `directory` the release there.
    """

    __test__ = False  # pytest collects classes of this name

    def __init__(self, session: Session, timeout: float, *, dsp_may_crash: bool) -> None:
        """`timeout` is the time that programs have by default, in seconds; `dsp_may_crash` says
        whether they may crash the DSP process."""
        self._session = session
        self._timeout = timeout
        self._lost: list[str] = []
        self._dsp_may_crash = dsp_may_crash
        self._dsp_crashes: list[str] = []
        ready = session.ready
        self.name = ready.site.device.name
        self.soc = ready.soc
        self.arch = ready.deployment.arch
        self.directory = ready.site.release(ready.deployment.id)

    def run(
        self,
        program: str,
        *args: object,
        env: Mapping[str, object] = NO_VARIABLES,
        cwd: str = "",
        timeout: float | None = None,
        input: str | bytes = b"",
        dsp_may_crash: bool | None = None,
    ) -> Result:
        """Run a program of the release, such as "bin/demo", with these arguments.

        `env` is added to its variables; `cwd` is its working directory, relative to the release;
        `timeout` is in seconds; `input` is what it reads from standard input.  When the connection
        is lost, the program is started again.  When it crashes the DSP process, the test has
        crashed, unless `dsp_may_crash`.

        Raises `RunTimeoutError` when it does not end in its time, and `DeviceError` when it cannot
        run.
        """
        request = RunRequest(
            command=(program, *map(str, args)),
            env={name: str(value) for name, value in env.items()},
            cwd=cwd,
            timeout=self._timeout if timeout is None else min(timeout, LONGEST),
        )
        __tracebackhide__ = True  # of pytest: the test is what matters
        stdin = input if isinstance(input, bytes) else input.encode(errors="surrogateescape")
        try:
            ran = self._session.run(request, stdin=stdin)
        except BuildtoolError as error:
            self._lost += getattr(error, "lost", ())
            raise error.with_traceback(None) from None
        self._lost += ran.lost
        may_crash = self._dsp_may_crash if dsp_may_crash is None else dsp_may_crash
        if ran.dsp_crash and not may_crash:
            self._dsp_crashes.append(f"{program}: {ran.explained or ran.dsp_crash}")
        stderr = "\n".join(filter(None, (ran.stderr, ran.explained)))
        methods = with_names(self._session.method_names, ran.methods)
        ended = (ran.stdout, stderr, ran.seconds, ran.dsp_crash, methods)
        if ran.signal is not None:
            status, signal = 128 + ran.signal, ran.signal
            return Result(status, signal, *ended)
        if ran.status is None:
            raise RunTimeoutError(
                f"{program} did not end in {request.timeout:g} s",
                why=f"it wrote: {(ran.stdout + stderr)[-SHOWN:]!r}",
                remedy="Allow more time: device.run(..., timeout=SECONDS)",
            )
        return Result(ran.status, 0, *ended)

    def take_lost(self) -> list[str]:
        """A line for each time that the connection was lost since the last call."""
        lost, self._lost = self._lost, []
        return lost

    def take_dsp_crashes(self) -> list[str]:
        """A text for each crash of the DSP process since the last call that may not happen."""
        crashes, self._dsp_crashes = self._dsp_crashes, []
        return crashes
