"""Sends input to a program that runs on another machine."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Callable

from buildtool.core.processes.process import PIPE, WITH_STDOUT, Process, running
from buildtool.device.script import CHUNK, assignments, script
from buildtool.device.transports.transport import Transport


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
        self._mark = os.urandom(16).hex()
        self.wakes: int | None = source
        if stat.S_ISREG(os.fstat(source).st_mode):  # it can always be read
            self.go_on()

    def go_on(self) -> None:
        """Take the next step, when the descriptor `wakes` can be read.  Raises
        `DeviceConnectionError` when the connection was lost before everything was sent."""
        if self._feeder:
            self._check_end(self._feeder)
            self._at_end()
            self.wakes = None
            return
        variables = {"log": self._log, "mark": self._mark}
        self._feeder = self._stack.enter_context(
            running(
                self._transport.command(assignments(variables) + script("feed")),
                env=self._transport.environment,
                stdin=PIPE,
                stdout=PIPE,
                stderr=WITH_STDOUT,
            )
        )
        feeding = self._feeder, self._source, f"{self._mark}ready\n".encode()
        threading.Thread(target=_feed, args=feeding, daemon=True).start()
        self.wakes = os.pidfd_open(self._feeder.pid)
        self._stack.callback(os.close, self.wakes)

    def _check_end(self, feeder: Process) -> None:
        assert feeder.stdout
        text = feeder.stdout.read()
        if f"{self._mark}done\n".encode() not in text:
            raise self._transport.lost(feeder.wait(), text.decode(errors="replace"))


def _feed(feeder: Process, source: int, ready: bytes) -> None:
    """Send the content of `source` once the program reads: anything read earlier would be lost."""
    assert feeder.stdin
    assert feeder.stdout
    with contextlib.suppress(OSError, ValueError), feeder.stdin:  # either end has ended
        if not any(line.endswith(ready) for line in feeder.stdout):
            return
        data = b"\n"
        while data:
            feeder.stdin.write(data)
            feeder.stdin.flush()
            data = os.read(source, CHUNK)
