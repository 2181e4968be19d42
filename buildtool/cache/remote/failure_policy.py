"""The effects of failures of the remote cache: one message, and an end of requests."""

from __future__ import annotations

import threading

from buildtool.cache.remote.config import PASSWORD, TOKEN, USER, RemoteConfig
from buildtool.core.events import Listener, Note

MAX_FAILURES = 3
"""Failures after which a server that responds gets no more requests."""
GRACE_SECONDS = 0.5
"""The seconds that any request may take without counting as slow."""
ACCESS_DENIED = (401, 403)


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
