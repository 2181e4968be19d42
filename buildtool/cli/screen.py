"""Draws events.  On a terminal a live line shows what is going on; elsewhere only results."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

from buildtool.core.events import Event, Note, StepFinished, StepOutput, StepStarted, Warned

LIVE_AFTER = 0.3  # seconds: shorter work needs no live line


class Screen:
    """A listener that writes to standard error.

    `quiet` leaves out steps that had nothing to do, as `run` wants it.
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.quiet = quiet
        self.live = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.started = 0.0
        self.drawn = False

    def __call__(self, event: Event) -> None:
        match event:
            case StepStarted():
                self.started = time.monotonic()
            case StepOutput(name, line):
                self._draw(name, line)
            case StepFinished(name, outcome, seconds):
                self._wipe()
                if outcome != "up-to-date" or not self.quiet:
                    self._line(f"{self._mark(outcome)} {name:<28} {outcome:<11}{seconds:7.1f} s")
            case Warned(text=text) | Note(text):
                self._wipe()
                self._line(text)

    def _draw(self, name: str, line: str) -> None:
        seconds = time.monotonic() - self.started
        if not self.live or seconds < LIVE_AFTER:
            return
        width = _columns() - 1
        text = f"  {name} {seconds:.0f} s  {line.strip()}".replace("\t", " ")
        self.stream.write(f"\r\x1b[K{text[:width]}")
        self.stream.flush()
        self.drawn = True

    def _wipe(self) -> None:
        if self.drawn:
            self.stream.write("\r\x1b[K")
            self.drawn = False

    def _line(self, text: str) -> None:
        self.stream.write(text + "\n")
        self.stream.flush()

    def _mark(self, outcome: str) -> str:
        mark = {"failed": "✗", "up-to-date": "·"}.get(outcome, "✓")
        if not self.live or os.environ.get("NO_COLOR"):
            return mark
        return f"\x1b[{31 if outcome == 'failed' else 32}m{mark}\x1b[0m"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80
