"""One piece of work with a server that may never end: done aside, and left when it takes too long.

Time-outs of sockets are not enough: looking up a name has none, and a server that sends a byte now
and then never meets one.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

MIN_BYTES_PER_SECOND = 1 << 20
"""Bytes a second below which a server is too slow to be worth asking."""
LOOK = 0.2
"""Seconds between two looks at whether the remote cache was switched off meanwhile."""


class OverdueError(Exception):
    """The work took longer than its time; or nobody wants it any more."""


class GoneError(Exception):
    """There is no server to talk to, or no way to talk to it; the text says what it does."""


class RefusedError(Exception):
    """The server wants other credentials, or none of us: 401 or 403."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class NoPlaceError(Exception):
    """A file on this side cannot be written; the server did nothing wrong."""


class RequestThread(threading.Thread, Generic[T]):
    """Runs `work(self)` in a thread of its own, which may outlive its usefulness.

    `moved` counts the bytes received, sent or written: each buys time.  `work` calls `alive`
    between pieces, and takes back what it did when `run_with_deadline` raised.
    """

    def __init__(self, work: Callable[[RequestThread[T]], T]) -> None:
        super().__init__(name="remote cache", daemon=True)
        self.moved = 0
        self.seconds = 0.0
        self.connection: Any = None
        self._work = work
        self._done = threading.Event()
        self._left = False
        self._result: list[T] = []
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            self._result.append(self._work(self))
        except Exception as error:
            self._error = error
        finally:
            self._done.set()

    def run_with_deadline(self, seconds: float, unwanted: threading.Event) -> T:
        """The work's result or error.

        Raises `OverdueError` once it took `seconds` more than its bytes need, or is `unwanted`.
        """
        start = time.monotonic()
        self.start()
        try:
            while not self._done.wait(LOOK):
                left = start + seconds + self.moved / MIN_BYTES_PER_SECOND - time.monotonic()
                if left <= 0 or unwanted.is_set():
                    raise OverdueError
        finally:
            self.seconds = time.monotonic() - start
            if not self._done.is_set():
                self._leave()
        if self._error is not None:
            raise self._error
        return self._result[0]

    def alive(self, moved: int = 0) -> None:
        """Count bytes; raises `OverdueError` when nobody waits for the work any more."""
        self.moved += moved
        if self._left:
            raise OverdueError

    def _leave(self) -> None:
        self._left = True
        # Whatever the thread waits for on its socket ends now.  Not SSLSocket.shutdown: that one
        # takes the TLS state away from under the thread.
        sock = getattr(self.connection, "sock", None)
        if isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
