"""Signals of this process, and the settings of its terminal.

Ctrl-C, SIGTERM and SIGHUP are one kind of interrupt, which a block can hold back.  The process can
interrupt itself: the command line then reports the cause in place of Ctrl-C.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator

from buildtool.core.errors import BuildtoolError

_VALID = frozenset(signal.valid_signals())
_holding: list[HeldInterrupts] = []
_causes: list[BuildtoolError] = []


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


def signal_of(status: int) -> int:
    """The signal n that an exit status of 128+n stands for; 0 if it stands for none."""
    number = status - 128
    return number if number in _VALID else 0


def signal_name(number: int) -> str:
    """ "SIGSEGV", or "signal 35" for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@contextlib.contextmanager
def restored_terminal() -> Iterator[None]:
    """Restore the settings of the terminal that is standard input, if it is one, after the block.

    A program that is killed leaves the terminal as it is: without echo, for example.
    """
    import termios  # noqa: PLC0415 - rarely needed

    try:
        before = termios.tcgetattr(0)
    except termios.error:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            if termios.tcgetattr(0) != before:
                termios.tcsetattr(0, termios.TCSANOW, before)
