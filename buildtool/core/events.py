"""The events that stages emit.  Only `buildtool.cli` displays them.

Progress says how far something is, in words, and for the live line of a terminal.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator

from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value


class BuildStarted(Value):
    """A number of steps follow, until `BuildFinished`."""

    steps: int


class StepStarted(Value):
    """A step begins.  `name` is its name in the plan, `summary` a description."""

    name: str
    summary: str


class StepOutput(Value):
    """One line of output of a tool that a step runs."""

    name: str
    line: str


class StepFinished(Value):
    """A step ended, or had nothing to do.

    `outcome` is `up-to-date`, `restored`, `configured`, `built`, `failed` or `interrupted`;
    `seconds` is wall time.
    """

    name: str
    outcome: str
    seconds: float


class StepSkipped(Value):
    """A step was not started because another step failed.

    `needed` is the failed step that it needs, or "" when the build stopped because of another step.
    """

    name: str
    needed: str


class StepFailed(Value):
    """The error of one of several steps that failed."""

    name: str
    error: BuildtoolError


class BuildFinished(Value):
    """All steps have ended, successfully or not."""


class TestFinished(Value):
    """A test on a device ended; it began with `StepStarted`, if at all.

    `outcome` is a value of `testing.results.Outcome`, `bad` whether it makes its suite fail,
    `message` says in a line why it did not pass, and `output` is what it wrote.
    """

    __test__ = False  # pytest collects classes of this name

    name: str
    outcome: str
    seconds: float
    bad: bool
    message: str
    output: str


class TestsCounted(Value):
    """So many tests have ended, of so many; both are 0 when no tests run, and `tests` also while it
    is unknown."""

    __test__ = False

    ended: int
    tests: int


class Working(Value):
    """Something that is no step is under way until `WorkEnded`: its name, and how far it is; "" at
    its beginning."""

    name: str
    text: str


class WorkEnded(Value):
    """Such work ended, successfully or not."""

    name: str


class ProgramStarts(Value):
    """A program of a release is about to be started on a device."""


class PushFinished(Value):
    """A release was pushed: the number of files and links that were sent, and the bytes in them.
    `seconds` is wall time."""

    files: int
    size: int
    seconds: float


class ProgramTraced(Value):
    """The recording of a program that has ended on `device`, with `--trace`.

    `started` and `ended` are nanoseconds of CLOCK_MONOTONIC here.  The device's CLOCK_REALTIME is
    `ahead` nanoseconds ahead of that here, give or take `uncertain`; with `same_clock` the device
    is on this machine, and has its clocks.  `samples` are a time here, the clocks of the device's
    processors in kHz, and its temperature in 0.001 °C.  `log` has lines of the DSP's log with times
    of CLOCK_REALTIME there, `meters` are those of device/meters.py.
    """

    program: str
    device: str
    recording: bytes
    started: int
    ended: int
    ahead: int
    uncertain: int
    same_clock: bool
    samples: tuple[tuple[int, tuple[int, ...], int], ...] = ()
    log: bytes = b""
    meters: tuple[tuple[int, ...], ...] = ()


class BackendPrinted(Value):
    """A line of a program on `device` that describes operators, which arrived at `at`, in
    nanoseconds of CLOCK_MONOTONIC here, with --trace."""

    device: str
    at: int
    text: str


class Warned(Value):
    """The output of the tools of a step that succeeded with warnings."""

    name: str
    text: str


class Note(Value):
    """A message for the user that belongs to no step."""

    text: str


class RunsOn(Value):
    """A program runs on `device`; `soc` and `arch`, of its DSP, are "" if unknown."""

    device: str
    soc: str
    arch: str


Event = (
    BuildStarted
    | RunsOn
    | StepStarted
    | StepOutput
    | StepFinished
    | StepSkipped
    | StepFailed
    | BuildFinished
    | TestFinished
    | TestsCounted
    | Working
    | WorkEnded
    | ProgramStarts
    | PushFinished
    | ProgramTraced
    | BackendPrinted
    | Warned
    | Note
)
Listener = Callable[[Event], None]


TELL_SECONDS = 0.2
SMALL = 10_000_000
"""Bytes below which a size is given in kB."""


def progress(done: int, size: int, rate: float) -> str:
    """ "812 of 2,048 MB, 45.3 MB/s, 27 s left": sizes in bytes, `rate` in bytes a second; without a
    size, which is 0 if it is unknown, "812 MB, 45.3 MB/s".  Small sizes are in kB."""
    unit, name = (1e3, "kB") if max(done, size) < SMALL else (1e6, "MB")
    speed = f"{rate / 1e3:,.0f} kB/s" if rate < 1e6 else f"{rate / 1e6:,.1f} MB/s"
    if not size or rate <= 0:
        return f"{done / unit:,.0f} {name}, {speed}"
    left = int(max(size - done, 0) / rate)
    time_left = f"{left // 60} min {left % 60} s" if left >= 60 else f"{left} s"
    return f"{done / unit:,.0f} of {size / unit:,.0f} {name}, {speed}, {time_left} left"


class Work:
    """Work that is under way; `work` makes it."""

    def __init__(self, name: str, listener: Listener) -> None:
        self._name = name
        self._listener = listener
        self._started = time.monotonic()
        self._told = float("-inf")

    def say(self, text: str) -> None:
        """Show `text` beside the name."""
        self._listener(Working(self._name, text))

    def count(self, done: int, total: int, text: str = "") -> None:
        """Show "DONE of TOTAL TEXT"; not more often than can be read."""
        if self._is_due(last=done >= total):
            self.say(f"{done:,} of {total:,} {text}".rstrip())

    def transferred(self, done: int, size: int = 0) -> None:
        """Show how many bytes of `size` (0: unknown) were transferred, and how fast."""
        if self._is_due(last=False):
            seconds = max(time.monotonic() - self._started, 1e-3)
            self.say(progress(done, size, done / seconds))

    def _is_due(self, *, last: bool) -> bool:
        now = time.monotonic()
        due = last or now - self._told >= TELL_SECONDS
        if due:
            self._told = now
        return due


@contextlib.contextmanager
def work(name: str, listener: Listener) -> Iterator[Work]:
    """Work called `name` is under way in the block.  Terminals show it while it takes long; nothing
    is left of it."""
    listener(Working(name, ""))
    try:
        yield Work(name, listener)
    finally:
        listener(WorkEnded(name))


class OpenStep:
    """A step that has started; `outcome` is that of an error until it is set."""

    def __init__(self) -> None:
        self.outcome = "failed"
        self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since it started."""
        return time.monotonic() - self.started


@contextlib.contextmanager
def open_step(name: str, summary: str, listener: Listener) -> Iterator[OpenStep]:
    """Tell that a step starts and, after the block, how it has ended."""
    listener(StepStarted(name, summary))
    step = OpenStep()
    try:
        yield step
    except KeyboardInterrupt:
        step.outcome = "interrupted"
        raise
    finally:
        listener(StepFinished(name, step.outcome, step.seconds))


def show_up_to_date(names: Collection[str], listener: Listener) -> None:
    """Tell of a build in which the steps with these names had nothing to do."""
    listener(BuildStarted(len(names)))
    for name in names:
        listener(StepFinished(name, "up-to-date", 0.0))
    listener(BuildFinished())
