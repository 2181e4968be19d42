"""A session on a device that is opened while a program is built, and waits there to start it.

Opening a session takes two round trips, which then pass during the build.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from buildtool.core.processes.process import PIPE, Process, running
from buildtool.device.script import assignments, script
from buildtool.device.transports.transport import Transport, quote

# Set before: end, the line after what is waited for.  `read` leaves the rest of standard input to
# what comes after, as `head` does not on every device.
_WAIT = """mask=$(umask) text= line=
until [ "$line" = "$end" ]; do
    text=$text$line'
'
    IFS= read -r line || exit
done
eval "$text"
"""


class WaitingSession:
    """A process that has a session open, for one run; `taken` when it has had that."""

    def __init__(self, transport: Transport, process: Process, end: str) -> None:
        self.transport = transport
        self.process = process
        self._end = end
        self.taken = False

    def fits(self, transport: Transport) -> bool:
        """Whether a run on the device of `transport` can take it."""
        return not self.taken and transport == self.transport and self.process.poll() is None

    def take(self, later: str, first: str, *, pushes: bool) -> Process:
        """Let the session go on with the assignments `first` for a push, if it `pushes`, and then
        with those for the start of the program."""
        self.taken = True
        text = f"pushes={'1' if pushes else ''}\nlater={quote(later)}\n{first}\n{self._end}\n"
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):  # it has ended, and says why
            self.process.stdin.write(text.encode("utf-8", "surrogateescape"))
            self.process.stdin.flush()
        return self.process


@contextlib.contextmanager
def open_session(transport: Transport) -> Iterator[WaitingSession]:
    """A session for the block; it is not known yet whether the device can be reached."""
    from buildtool.deploy.push import GO_ON, SCRIPTS  # noqa: PLC0415 - most runs open no session

    end = os.urandom(16).hex()
    push = f'if [ -n "$pushes" ]; then\n{GO_ON}fi\neval "$later"\n'
    text = f"{assignments({'end': end})}{script(*SCRIPTS)}\n{_WAIT}{push}{script('start')}"
    with running(
        transport.command(text), env=transport.environment, stdin=PIPE, stdout=PIPE, stderr=PIPE
    ) as process:
        yield WaitingSession(transport, process, end)


def new_run() -> str:
    """A name for a run: the time, and something random."""
    return time.strftime("%Y%m%d-%H%M%S-") + os.urandom(3).hex()
