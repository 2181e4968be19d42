"""A descriptor whose data goes on to another one at once, and is kept."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

from buildtool.deploy.bundle.both_ends import BothEnds
from buildtool.deploy.conversation import CHUNK, LINGER_SECONDS


@contextlib.contextmanager
def teed(target: int, kept: BothEnds) -> Iterator[int]:
    """A descriptor for the block: what is written to it goes to the descriptor `target`, and into
    `kept`.  When `target` takes nothing more, neither does the descriptor (EPIPE)."""
    read, write = os.pipe()
    pump = _Pump(read, target, kept)
    pump.start()
    try:
        yield write
    finally:
        os.close(write)
        pump.join_idle()


class _Pump(threading.Thread):
    def __init__(self, read: int, target: int, kept: BothEnds) -> None:
        super().__init__(daemon=True)
        self._read = read
        self._target = target
        self._kept = kept
        self._writes = False

    def run(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads `target`
            while data := os.read(self._read, CHUNK):
                self._kept.add(data)
                self._writes = True
                while data:
                    data = data[os.write(self._target, data) :]
                self._writes = False
        os.close(self._read)

    def join_idle(self) -> None:
        """Wait until everything has been passed on.

        A process that the program has left may keep the other end open: then it is enough that
        nothing arrives for some seconds.
        """
        self.join(LINGER_SECONDS)
        while self.is_alive() and self._writes:
            self.join(LINGER_SECONDS)
