"""A device that is ready for tests: runs programs there, and again when the connection is lost.

How often tests, and what prepares them, are tried when the connection to a device is lost.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from buildtool.core.events import Event, Note
from buildtool.core.lock import try_lock
from buildtool.core.processes.interrupts import signal_of
from buildtool.core.processes.kept_output import KeptOutput, teed
from buildtool.core.value import Value
from buildtool.deploy.ready import DeviceChoice, Ready
from buildtool.deploy.site import reset
from buildtool.device.card import Card, current_card, unmet_by
from buildtool.device.errors import DeviceConnectionError
from buildtool.device.known_facts import facts_of
from buildtool.device.sharing import DeviceLock
from buildtool.diagnose.method_names import SkelMethods
from buildtool.engine.result import BuildResult
from buildtool.project.model import Project
from buildtool.run.attended import ProgramRun, run_attended
from buildtool.run.budgets import STACK
from buildtool.run.method_counts import FailedCall, MethodCounts
from buildtool.run.program import RunRequest
from buildtool.run.run import RunTimeoutError, Streams
from buildtool.run.watched_run import first_line

if TYPE_CHECKING:
    from buildtool.engine.options import Options
    from buildtool.run.dsp_calls import DspCalls
    from buildtool.run.on_device import RunResult
    from buildtool.run.profile.profile import Profile

TRIES = 3
PAUSE_SECONDS = 0.5
"""The pause before the second try; it is longer before later ones."""
T = TypeVar("T")
PAUSES = (0.0, 2.0, 10.0)
"""Seconds before each attempt to connect again."""
KEPT_BYTES = 64 << 20


def pause(_: DeviceConnectionError, tries: int) -> None:
    """Wait before another try, if there is one."""
    if tries < TRIES:
        time.sleep(PAUSE_SECONDS * tries)


def retried(
    action: Callable[[], T],
    after_loss: Callable[[DeviceConnectionError, int], None] = pause,
    tries: int = TRIES,
) -> T:
    """The result of `action`, which is done again when the connection is lost, at most `tries`
    times.  Each time `after_loss` gets the error, and how many tries there were.  Raises
    `DeviceConnectionError` when it is lost in every try."""
    for number in itertools.count(1):
        try:
            return action()
        except DeviceConnectionError as error:
            after_loss(error, number)
            if number == tries:
                raise
    raise AssertionError


class Ran(Value):
    """How a program ended: its exit status, or the number of the signal that ended it, or neither
    if it did not end in time.

    `stdout` and `stderr` have the end of its output; `explained` explains crashes of skels, and
    `dsp_crash` is one line about them.  `lost` has one line for each lost connection before.
    `methods` are the counts of an emulated DSP, `calls` those of the program with `expect_dsp`.
    `failed` are calls of methods of an emulated DSP, `profile` is that of one that is profiled.
    """

    status: int | None
    signal: int | None
    stdout: str
    stderr: str
    seconds: float
    explained: str = ""
    lost: tuple[str, ...] = ()
    dsp_crash: str = ""
    methods: tuple[MethodCounts, ...] = ()
    calls: DspCalls | None = None
    failed: tuple[FailedCall, ...] = ()
    profile: Profile | None = None


class LostError(DeviceConnectionError):
    """The connection was lost in every try; `lost` has a line for each."""

    lost: tuple[str, ...] = ()


@contextlib.contextmanager
def directory_of(ready: Ready, purpose: str) -> Iterator[str]:
    """The DIRECTORY of a session in which runs begin afresh: no other session uses it for the
    block.  A device of this machine has no lock, so that sessions use it at the same time: then it
    is PURPOSE, PURPOSE2, and so on."""
    with contextlib.ExitStack() as stack:
        for number in itertools.count(1):
            name = f"{purpose}{number}" if number > 1 else purpose
            if not ready.site.device.transport.direct:
                break
            ready.go_beside(name)
            file = Path(ready.site.project, "session")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
            if stack.enter_context(try_lock(file)) is not None:
                break
        yield name


class Session:
    """Runs programs of one release on one device, beside the releases of the project there."""

    def __init__(
        self,
        project: Project,
        ready: Ready,
        choice: DeviceChoice,
        *,
        build: BuildResult,
        options: Options,
        lock: DeviceLock,
        directory: str = "tests",
    ) -> None:
        """`build`, made with `options`, is what the release of `ready` was made of.  `lock` is
        held.  Releases are in PROJECT+DIRECTORY on the device; see `directory_of`."""
        self.project = project
        self.method_names = SkelMethods(project)
        self.build = build
        self.ready = ready
        ready.go_beside(directory)
        self.choice = choice
        self.options = options
        self.lock = lock
        self.directory = directory
        self._gone: DeviceConnectionError | None = None
        self._stamp = ""

    @cached_property
    def card(self) -> Card | None:
        """The capability card of this device, unless it is out of date."""
        device = self.ready.site.device
        return current_card(device, facts_of(device))

    @cached_property
    def tags(self) -> frozenset[str]:
        """The TAGs of those sections `[expected-failure.TAG]` that hold for this device: its name,
        tags, arch and platform, and those whose `requires` its card does not have."""
        device, target = self.ready.site.device, self.project.targets[self.ready.release.target]
        known = {device.name, *device.tags, self.ready.deployment.arch, target.platform}
        for tag, failure in self.project.expected_failures.items():
            if failure.requires and self.card and unmet_by(self.card, failure.requires):
                known.add(tag)
        return frozenset(known - {""})

    def run(
        self,
        request: RunRequest,
        *,
        stdin: bytes = b"",
        together: bool = False,
        limit: int = KEPT_BYTES,
        tries: int = TRIES,
        afresh: bool = False,
    ) -> Ran:
        """Run a program that reads `stdin`; with `together` its standard error is in its output.
        With `afresh` it finds nothing that earlier runs have written.

        At most the last `limit` bytes of each stream are kept.  When the connection is lost, the
        program is started again, at most `tries` times; whatever it returned is never retried.
        Raises `LostError`, also when an earlier run could not connect any more, and `DeviceError`.
        """
        lost: list[str] = []

        def start() -> Ran:
            if afresh:
                self.reset()
            return self._run(request, stdin, together=together, limit=limit)

        def after_loss(error: DeviceConnectionError, _: int) -> None:
            lost.append(error.message)
            self._reconnect()  # also after the last try: other programs follow

        try:
            if self._gone:
                raise self._gone
            return retried(start, after_loss, tries)._replace(lost=tuple(lost))
        except DeviceConnectionError as error:
            raise _lost(error, lost) from error

    def stacks(self, request: RunRequest) -> tuple[MethodCounts, ...]:
        """Counts with the stacks that threads of the emulated DSP use, of a program that runs
        afresh; raises as `run`."""
        return self.run(request._replace(env={**request.env, **STACK}), afresh=True).methods

    def profile(self, request: RunRequest) -> Profile | None:
        """The profile of a program that runs afresh on the emulated device; raises as `run`."""
        choice, self.choice = self.choice, self.choice._replace(profile=True)
        try:
            return self.run(request, afresh=True).profile
        finally:
            self.choice = choice

    def reset(self) -> None:
        """Let the release on the device be what was brought there; raises `DeviceError`."""
        self._stamp = reset(self.ready.site, self.ready.deployment, self._stamp)

    def _run(self, request: RunRequest, stdin: bytes, *, together: bool, limit: int) -> Ran:
        notes: list[str] = []

        def listen(event: Event) -> None:
            if isinstance(event, Note):
                notes.append(event.text)

        started = time.monotonic()
        result: RunResult | None = None
        request = request._replace(
            input=bool(stdin), count_calls=self.choice.expect_dsp, trace=self.choice.trace
        )
        stdout, stderr = KeptOutput(tail=limit), KeptOutput(tail=limit)
        with ExitStack() as stack:
            source = stack.enter_context(tempfile.TemporaryFile())
            source.write(stdin)
            source.seek(0)
            out = stack.enter_context(teed(stdout))
            err = out if together else stack.enter_context(teed(stderr))
            try:
                streams = Streams(source.fileno(), out, err)
                run = ProgramRun(self.project, self.ready, request, listen, self.choice)
                result = run_attended(run._replace(streams=streams))
            except RunTimeoutError:
                pass
        written = stdout.kept().text, stderr.kept().text
        ended = *written, time.monotonic() - started, "\n".join(notes)
        if not result:
            return Ran(None, None, *ended, dsp_crash=first_line(tuple(notes)))
        signal = signal_of(result.status) or None
        return Ran(
            *(None if signal else result.status, signal, *ended),
            dsp_crash=result.dsp_crash,
            methods=result.methods,
            calls=result.dsp_calls,
            failed=result.failed,
            profile=result.profile,
        )

    def _reconnect(self) -> None:
        """Connect again; raises `DeviceConnectionError`."""
        for pause in PAUSES:
            time.sleep(pause)
            try:
                self.ready.renew()
                self.lock.hold()
            except DeviceConnectionError as error:
                problem = error
            else:
                return
        self._gone = problem  # other programs do not wait as long again
        raise problem


def _lost(error: DeviceConnectionError, lost: list[str]) -> LostError:
    found = LostError(error.message, why=error.why, remedy=error.remedy)
    found.lost = tuple(lost)
    return found
