"""Writes what a script prints to a descriptor, in a thread of its own."""

from __future__ import annotations

import os
import select
import threading

from buildtool.core.processes.process import Process
from buildtool.device.script import WRITTEN, MarkedStream

CHUNK = 1 << 16
KEPT = 1 << 14
"""Bytes that are kept of what the login shell prints."""


class Relay:
    """Writes the script's part of `stream`, the standard output of `process`, to `sink`.

    A reader there may be slow: it does not delay what this process does meanwhile, and signals to
    this process neither lose nor repeat a byte.  `done` is a descriptor that can be read when all
    is written that the script prints, when the stream stays open for `linger` seconds after the
    process, and when nothing can be written any more: then `broken` is set, and `error` unless the
    reader has gone.  `others` is the end of what came before the script.
    """

    def __init__(self, process: Process, stream: MarkedStream, sink: int, linger: float) -> None:
        assert process.stdout
        self.error: OSError | None = None
        self.broken = False
        self.others = b""
        self._stream = stream
        self._linger = linger
        self.done, self._running = os.pipe()
        # Whoever starts the process may close its own descriptors before the thread has ended.
        self._source = os.dup(process.stdout.fileno())
        self._sink = os.dup(sink)
        self._process = os.pidfd_open(process.pid)
        process.stdout.close()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            while self._stream.marks < WRITTEN and self._pass_on():
                pass
        except OSError as error:
            self.broken = True
            self.error = None if isinstance(error, BrokenPipeError) else error
        os.close(self._sink)
        os.close(self._running)
        # ssh loses messages when it cannot write output.
        while self._read():
            pass
        os.close(self._source)
        os.close(self._process)

    def _pass_on(self) -> bool:
        """Write the next piece; False when it was the last."""
        data = self._read()
        others, text = self._stream.feed(data)
        self.others = (self.others + others)[-KEPT:]
        while text:
            text = text[os.write(self._sink, text) :]
        return bool(data)

    def _read(self) -> bytes:
        """The next piece; empty at the end, and when the process has ended long ago."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._process, select.POLLIN)
        if self._source not in dict(poll.poll()):
            poll.unregister(self._process)
            if not poll.poll(self._linger * 1000):
                return b""
        return os.read(self._source, CHUNK)
