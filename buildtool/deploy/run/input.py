"""Sends input to a program that runs on another machine."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Callable

from buildtool.core.process import DEVNULL, PIPE, Process, running
from buildtool.deploy.conversation import CHUNK
from buildtool.deploy.script import assignments, script
from buildtool.deploy.transports.transport import Transport


class Input:
    """Sends what is in the descriptor `source` to the run whose logs are in the directory `log` of
    the device, in a second exchange: the first one's standard input is the lifeline.

    It begins when there is something to read, and calls `at_end` when there is nothing more.
    """

    def __init__(
        self,
        transport: Transport,
        log: str,
        source: int,
        at_end: Callable[[], object],
        stack: contextlib.ExitStack,
    ) -> None:
        self._transport = transport
        self._log = log
        self._source = source
        self._at_end = at_end
        self._stack = stack
        self._feeder: Process | None = None
        self.wakes: int | None = source
        if stat.S_ISREG(os.fstat(source).st_mode):  # it can always be read
            self.go_on()

    def go_on(self) -> None:
        """Take the next step, when the descriptor `wakes` can be read."""
        if self._feeder:
            self._at_end()
            self.wakes = None
            return
        self._feeder = self._stack.enter_context(
            running(
                self._transport.command(assignments({"log": self._log}) + script("feed")),
                env=self._transport.environment,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
            )
        )
        feeding = self._feeder, self._source
        threading.Thread(target=_feed, args=feeding, daemon=True).start()
        self.wakes = os.pidfd_open(self._feeder.pid)
        self._stack.callback(os.close, self.wakes)


def _feed(feeder: Process, source: int) -> None:
    """Send what is in `source` when the program is there to read it: what is read here is gone."""
    assert feeder.stdin
    assert feeder.stdout
    with contextlib.suppress(OSError, ValueError), feeder.stdin:  # either end has ended
        if feeder.stdout.readline():
            while data := os.read(source, CHUNK):
                feeder.stdin.write(data)
                feeder.stdin.flush()
