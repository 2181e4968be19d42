"""Runs a request to the remote cache in a thread, which is abandoned after a deadline.

Timeouts of sockets are not enough: a name lookup has none, and a server that sends a byte now and
then never exceeds one.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

MIN_BYTES_PER_SECOND = 1 << 20
"""Each byte that is received, sent or written extends the deadline by its share of a second."""
POLL_SECONDS = 0.2


class DeadlineError(Exception):
    """The request took too long, or the remote cache was disabled while it ran."""


class RequestThread(threading.Thread, Generic[T]):
    """Runs `work` once; it calls `report_progress` between pieces of what it transfers.

    `transferred` counts these bytes, `seconds` is how long `run_with_deadline` waited, and
    `connection` has the attribute `sock`, the socket that the thread may wait for, or the method
    `cancel`.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(name="remote cache", daemon=True)
        self.transferred = 0
        self.seconds = 0.0
        self.connection: Any = None
        self.abandoned = False
        self._work = work
        self._result: T | None = None
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            self._result = self._work()
        except Exception as error:
            self._error = error

    def run_with_deadline(self, seconds: float, cancelled: threading.Event) -> T:
        """The result of the work, or its error.

        Raises `DeadlineError` when it takes `seconds` more than its bytes need, or when `cancelled`
        is set.
        """
        start = time.monotonic()
        self.start()
        while self.is_alive():
            self.join(POLL_SECONDS)
            self.seconds = time.monotonic() - start
            late = self.seconds > seconds + self.transferred / MIN_BYTES_PER_SECOND
            if (late or cancelled.is_set()) and self.is_alive():
                self._abandon()
                raise DeadlineError
        if self._error is not None:
            raise self._error
        return cast("T", self._result)

    def _abandon(self) -> None:
        self.abandoned = True
        # Ends every wait of the thread, for its call of gRPC or for its socket.  Not
        # SSLSocket.shutdown, which would take the TLS state from the thread that uses it.
        sock = getattr(self.connection, "sock", None)
        if cancel := getattr(self.connection, "cancel", None):
            cancel()
        elif isinstance(sock, socket.socket):
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


def report_progress(
    count: int = 0, connection: Any = None, thread: threading.Thread | None = None
) -> None:
    """Count bytes that the request of `thread` (default: this one) transferred, or note its
    connection.

    Raises `DeadlineError` when the request was abandoned.
    """
    thread = thread or threading.current_thread()
    if isinstance(thread, RequestThread):
        thread.transferred += count
        thread.connection = connection or thread.connection
        if thread.abandoned:
            raise DeadlineError
