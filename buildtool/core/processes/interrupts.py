"""Ctrl-C, SIGTERM and SIGHUP as one kind of interrupt, which a block can hold back.

Why this process has interrupted itself: the command line reports it in place of Ctrl-C.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

from buildtool.core.errors import BuildtoolError


@contextlib.contextmanager
def signals_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP as Ctrl-C in the block, so that clean-up runs for them too.

    Does nothing in threads other than the main thread, which receives the signals.
    """
    with _interrupted_by(signal.SIGTERM, signal.SIGHUP):
        yield


@contextlib.contextmanager
def _interrupted_by(*numbers: signal.Signals) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class HeldInterrupts:
    """Interrupts that are raised when they are allowed."""

    def __init__(self) -> None:
        self.held = True
        self.pending = False

    def allow(self) -> None:
        """Raise `KeyboardInterrupt` from now on, and at once if there was an interrupt."""
        self.held = False
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """Raise `KeyboardInterrupt` in the block, and hold interrupts again behind it."""
        self.allow()
        try:
            yield
        finally:
            self.held = True


_holding: list[HeldInterrupts] = []


@contextlib.contextmanager
def held_interrupts() -> Iterator[HeldInterrupts]:
    """Hold Ctrl-C, SIGTERM and SIGHUP until the block allows them.

    Does nothing in threads other than the main thread, which receives the signals.
    """
    interrupts = HeldInterrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts  # one that it held would be raised in this thread
        return
    ignored = signal.getsignal(signal.SIGINT) != signal.default_int_handler
    numbers = [signal.SIGTERM, signal.SIGHUP, *([] if ignored else [signal.SIGINT])]
    with _interrupted_by(*numbers):
        _holding.append(interrupts)
        try:
            yield interrupts
        finally:
            _holding.remove(interrupts)


def _interrupt(*_: object) -> None:
    if _holding and _holding[-1].held:
        _holding[-1].pending = True
    else:
        raise KeyboardInterrupt


_causes: list[BuildtoolError] = []


def interrupt(cause: BuildtoolError) -> None:
    """Interrupt the main thread as Ctrl-C does, once in a process.  Any thread can call it."""
    _causes.append(cause)
    if len(_causes) == 1:
        # Where tools run, SIGTERM is an interrupt; SIGINT may be ignored there.
        handled = callable(signal.getsignal(signal.SIGTERM))
        os.kill(os.getpid(), signal.SIGTERM if handled else signal.SIGINT)


def interruption() -> BuildtoolError | None:
    """The cause, None if the process has not interrupted itself."""
    return _causes[0] if _causes else None
