"""Prints events: on a terminal with a live line of what runs now, elsewhere results only."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO

from buildtool.cli.show import error_text, place, shows_colours
from buildtool.core.escape import escape
from buildtool.core.events import (
    BuildFinished,
    BuildStarted,
    Event,
    Note,
    RunsOn,
    StepFailed,
    StepFinished,
    StepOutput,
    StepSkipped,
    StepStarted,
    TestFinished,
    TestsCounted,
    Warned,
    WorkEnded,
    Working,
)

LIVE_AFTER = 0.3  # seconds; shorter work needs no live line
LIVE_EVERY = 0.05  # seconds between updates
TICK = LIVE_AFTER  # seconds between updates of the running times, which also show new work
ECHO = 3  # columns that stay free, so that the ^C of the terminal does not begin another line
LONG = 10.0  # seconds after which a running step is reported where there is no live line
MARKS = {
    "failed": "✗",
    "interrupted": "-",
    "skipped": "-",
    "expected failure": "-",
    "up-to-date": "·",
}
COLOURS = {"✗": 31, "-": 33}
NAME, OUTCOME, TEST_OUTCOME = 28, 11, 16  # columns
TEST_LINES = 50  # lines of the output of a bad test that are printed

_COUNT = r"(\[\d+/\d+\]) "  # Ninja's: commands finished, commands to run
_NO_NEWS = "loading initial cache|Put cmake in trace mode|Trace will be"  # CMake's
_CONTROL = r"[\x00-\x1f\x7f-\x9f]"


class Screen:
    """A listener that writes to standard error; several threads may share it.

    `quiet` omits steps that are up to date; `verbose` prints every line of every step after the
    step's name.  While steps run, a thread updates the live line every `tick` seconds, because
    tools can be silent for minutes; with 0 there is no thread.
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        verbose: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        columns: Callable[[], int] | None = None,
        tick: float = TICK,
    ) -> None:
        self.stream = stream or sys.stderr
        self.quiet = quiet
        self.verbose = verbose
        self.clock = clock
        self.columns = columns or _columns
        self.live = self.stream.isatty() and os.environ.get("TERM") != "dumb" and not verbose
        self.colour = shows_colours(self.stream)
        self._lock = threading.Lock()
        self._tick = tick
        self._ticking = False
        self._running: dict[str, tuple[float, str]] = {}  # start time, latest activity
        self._works: set[str] = set()  # names of what is no step
        self._long: set[str] = set()  # steps already reported as running long
        self._steps = self._ended = self._idle = 0
        self._first_idle = ""
        self._tests = TestsCounted(0, 0)
        self._not_run: set[str] = set()  # why tests did not run
        self._remedies: set[str] = set()  # of failed steps, which are printed once
        self._drawn = False
        self._drawn_at = float("-inf")

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._show(event)

    def _show(self, event: Event) -> None:
        match event:
            case BuildStarted(steps):
                self._steps, self._ended, self._idle = steps, 0, 0
            case StepStarted(name):
                self._running[name] = (self.clock(), "")
                self._start_ticking()
            case StepOutput(name, line):
                self._output(name, line)
            case StepFinished(name, outcome, seconds):
                self._running.pop(name, None)
                self._ended += 1
                if outcome == "up-to-date" and not self.verbose and (self._steps or self.quiet):
                    self._idle += 1
                    self._first_idle = self._first_idle or name
                else:
                    self._result(name, outcome, f"{seconds:7.1f} s")
            case StepSkipped(name, needed):
                self._ended += 1
                self._result(name, "skipped", f"  needs {needed}" if needed else "")
            case BuildFinished():
                self._finish()
            case StepFailed(error=error):
                self._line(error_text(error, remedy=error.remedy not in self._remedies))
                self._remedies.add(error.remedy)
            case TestFinished():
                self._test(event)
            case TestsCounted():
                self._tests = event
            case Working(name, text):
                self._work(name, text)
            case WorkEnded(name):
                self._running.pop(name, None)
            case Warned(name, text):
                self._line(text if not self._steps else f"{name}:\n{text}")
            case RunsOn(device, soc, arch):
                if self.live:  # elsewhere a program's output is all that there is
                    self._line(f"on {place(device, soc, arch)}")
            case Note(text):
                self._line(text)
        self._draw(now=not isinstance(event, StepOutput | Working))

    def _output(self, name: str, line: str) -> None:
        if self.verbose:
            self._line(f"{name}: {line}")
        since, before = self._running.get(name, (self.clock(), ""))
        count = re.match(_COUNT, line)
        alone = self._steps <= 1
        news = line if alone and not re.match(_NO_NEWS, line) else before
        now = count[1] if count and not alone else news
        self._running[name] = (since, re.sub(_CONTROL, " ", now).strip())

    def _work(self, name: str, text: str) -> None:
        if not text:
            self._running[name] = (self.clock(), "")
            self._works.add(name)
            self._start_ticking()
        elif name in self._running:  # a thread may speak after the end
            self._running[name] = (self._running[name][0], re.sub(_CONTROL, " ", text))

    def _finish(self) -> None:
        """Report all steps that are up to date in one line."""
        if self._idle and not self.quiet:
            what = self._first_idle if self._idle == 1 else f"{self._idle} steps"
            self._line(f" {what} up to date", self._mark("up-to-date"))
        self._steps = self._ended = self._idle = 0
        self._first_idle = ""

    def _test(self, test: TestFinished) -> None:
        self._running.pop(test.name, None)
        if test.outcome == "not run" and test.message and not self.verbose:
            if test.message in self._not_run:
                return  # the table at the end counts them
            self._not_run.add(test.message)
        mark = self._mark("failed" if test.bad else test.outcome)
        outcome = f"{test.outcome:<{TEST_OUTCOME}}"
        self._result(test.name, outcome, f"{test.seconds:7.1f} s", mark)
        if test.message:
            self._line(f"    {test.message}")
        if test.output and (test.bad or self.verbose):
            lines = test.output.rstrip("\n").splitlines()
            kept = lines if self.verbose else lines[-TEST_LINES:]
            if len(kept) < len(lines):
                self._line(f"    … {len(lines) - len(kept):,} lines before; -v prints them")
            for line in kept:
                self._line(f"    | {line}")

    def _result(self, name: str, outcome: str, more: str, mark: str = "") -> None:
        text = f" {name:<{NAME}} {outcome:<{OUTCOME}}{more}".rstrip()
        self._line(text, mark or self._mark(outcome))

    def _draw(self, *, now: bool) -> None:
        """Draw the live line, once the oldest running step has run for `LIVE_AFTER`."""
        time_ = self.clock()
        oldest = min((since for since, _ in self._running.values()), default=time_)
        if not self._running:
            self._wipe()
        if not self.live or time_ - oldest < LIVE_AFTER:
            return
        if not now and time_ - self._drawn_at < LIVE_EVERY:
            return
        tests = self._tests.ended or self._tests.tests
        counts = self._steps > 1 or tests
        if counts or len(self._running) > 1:
            rows = [self._count() if tests else f"{self._ended}/{self._steps}"] if counts else []
            for name, (since, doing) in self._running.items():
                seconds = int(time_ - since)
                row = [name, doing, f"{seconds} s" if seconds else ""]
                rows.append(" ".join(filter(None, row)))
            text = "  ".join(rows)
        else:
            ((name, (since, doing)),) = list(self._running.items())[:1]
            text = f"{name} {time_ - since:.0f} s  {doing}"
        self.stream.write(f"\r\x1b[K{escape('  ' + text.rstrip())[: self.columns() - ECHO]}")
        self.stream.flush()
        self._drawn, self._drawn_at = True, time_

    def _count(self) -> str:
        """The number of tests that have ended, and that of all tests if it is known."""
        ended, tests = self._tests
        return f"{ended}/{tests}" if tests else f"{ended}"

    def _start_ticking(self) -> None:
        if self._tick and not self._ticking:
            self._ticking = True
            threading.Thread(target=self._keep_ticking, daemon=True).start()

    def _keep_ticking(self) -> None:
        while True:
            time.sleep(self._tick)
            with self._lock:
                self._ticking = bool(self._running)
                if not self._ticking:
                    return
                self.tick()

    def tick(self) -> None:
        """Update the running times."""
        if self.live:
            self._draw(now=True)
            return
        for name, (since, doing) in self._running.items():
            seconds = self.clock() - since
            if seconds >= LONG and name not in self._long | self._works:
                self._long.add(name)
                what = f": {doing}" if doing else ""
                self._line(f"{name}: running for {seconds:.0f} s{what}"[: self.columns() - 1])

    def _line(self, text: str, mark: str = "") -> None:
        """Print one or more lines after `mark`, which may be coloured."""
        self._wipe()
        self.stream.write(f"{mark}{escape(text)}\n")
        self.stream.flush()

    def _wipe(self) -> None:
        if self._drawn:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self._drawn = False

    def _mark(self, outcome: str) -> str:
        mark = MARKS.get(outcome, "✓")
        return f"\x1b[{COLOURS.get(mark, 32)}m{mark}\x1b[0m" if self.colour else mark


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80
