"""Why this process has interrupted itself: the command line reports it in place of Ctrl-C."""

from __future__ import annotations

import os
import signal

from buildtool.core.errors import BuildtoolError

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
