"""The fixture `device` of the pytest plugin."""

from __future__ import annotations

from collections.abc import Mapping

from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value
from buildtool.project.runs import LONGEST
from buildtool.run.method_counts import MethodCounts, with_names
from buildtool.run.program import NO_VARIABLES, RunRequest
from buildtool.run.run import RunTimeoutError
from buildtool.testing.session import Session

SHOWN = 4000


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
        methods = with_names(self._session.project, ran.methods)
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
