"""How far something is, in words, and for the live line of a terminal."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from buildtool.core.events import Listener, WorkEnded, Working

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
