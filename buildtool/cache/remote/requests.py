"""Requests to the remote cache: their deadlines, and the effects of their failures.

A request runs in a thread, which is abandoned after a deadline.  Timeouts of sockets are not
enough: a name lookup has none, and a server that sends a byte now and then never exceeds one.
Failures have two effects: one message, and an end of requests.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

from buildtool.cache.remote.config import PASSWORD, TOKEN, USER, RemoteConfig
from buildtool.core.events import Listener, Note

T = TypeVar("T")

MIN_BYTES_PER_SECOND = 1 << 20
"""Each byte that is received, sent or written extends the deadline by its share of a second."""
POLL_SECONDS = 0.2
MAX_FAILURES = 3
"""Failures after which a server that responds gets no more requests."""
GRACE_SECONDS = 0.5
"""The seconds that any request may take without counting as slow."""
ACCESS_DENIED = (401, 403)


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


class UnavailableError(Exception):
    """The server cannot be reached or used; the text continues "the remote cache URL …"."""


class AccessDeniedError(Exception):
    """The server responded with 401 or 403."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class BadResponseError(Exception):
    """A response is not the stored or requested data; the text continues "sent"."""


class FailurePolicy:
    """The failures of one server in this process.  Threads share it.

    Once `disabled` is set, no request is sent any more; once `writes_disabled` is set, nothing is
    stored any more.  `listener` receives the first failure only, without credentials.
    """

    def __init__(self, config: RemoteConfig, listener: Listener) -> None:
        self.disabled = threading.Event()
        self.writes_disabled = threading.Event()
        self._config = config
        self._listener = listener
        self._lock = threading.Lock()
        self._reported = self._started = False
        self._failed_reads = self._failed_writes = 0
        self._waited = 0.0

    def before_request(self) -> None:
        """Warn before the first request if it sends credentials without encryption."""
        with self._lock:
            first, self._started = not self._started, True
        if first and self._config.in_the_open:
            self._listener(
                Note(
                    f"the remote cache {self._config.url} is accessed without encryption, and"
                    " requests contain the credentials: use https"
                )
            )

    def unreachable(self, what: str) -> None:
        """The server does not respond, is too slow or denies access: no request is sent again."""
        self.disabled.set()
        self._report(f"{what}; this build does without it")

    def access_denied(self, status: int) -> None:
        """The server does not allow reading."""
        self.unreachable(self._denial(status, "reading"))

    def bad_response(self, what: str) -> None:
        """The server responded with something other than the requested data."""
        with self._lock:
            self._failed_reads += 1
            enough = self._failed_reads >= MAX_FAILURES
        if enough:
            self.disabled.set()
        self.unusable(what)

    def unusable(self, what: str) -> None:
        """A response cannot be used on this machine, which need not be the server's fault."""
        self._report(f"{what}; this data is not used")

    def not_stored(self, what: str, status: int = 0) -> None:
        """The server did not store something.  Reads continue."""
        with self._lock:
            self._failed_writes += 1
            if self._failed_writes >= MAX_FAILURES or status in (*ACCESS_DENIED, 405):
                self.writes_disabled.set()
        if status in ACCESS_DENIED:
            what = self._denial(status, "writing")
        elif status == 405:
            what = "does not accept writes (status 405): it is read-only"
        self._report(f"{what}; not all results of this build are stored there")

    def add_wait(self, seconds: float) -> None:
        """Count `seconds` that a request took beyond what its bytes need."""
        with self._lock:
            self._waited += max(0.0, seconds - GRACE_SECONDS)
            slow = self._waited > self._config.timeout
        if slow and not self.disabled.is_set():
            self.unreachable(f"is slow: this build waited {self._waited:.0f} s for it")

    def local_error(self, what: str) -> None:
        """A file on this machine could not be read or written; the server is not at fault."""
        self._report(f"could not be used: {what}")

    def _denial(self, status: int, what: str) -> str:
        pair = f"{USER} and {PASSWORD}"
        if self._config.token:
            why = f"the token in {TOKEN} is not accepted"
        elif self._config.user:
            why = f"the user and password in {pair}, or in the address, are not accepted"
        else:
            why = f"if it needs credentials, set {TOKEN}, or {pair}"
        return f"refuses {what} (status {status}): {why}"

    def _report(self, what: str) -> None:
        with self._lock:
            first, self._reported = not self._reported, True
        if first:
            self._listener(Note(f"the remote cache {self._config.url} {what}"))
