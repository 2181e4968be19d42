"""What goes wrong with a remote cache: told once, and when to stop asking."""

from __future__ import annotations

import threading

from buildtool.cache.remote.config import PASSWORD, TOKEN, USER, RemoteConfig
from buildtool.core.events import Listener, Note

FAILURES = 3
"""Failures after which a server that answers is not asked any more."""
GRACE = 0.5
"""Seconds that any request may take without counting as slow."""

REFUSED = (401, 403)


class FailurePolicy:
    """The failures of one server in this process.  Threads share it.

    Once `disabled` is set, no request is sent any more; once `writes_disabled` is set, nothing is
    stored any more.  The listener receives the first failure only, without credentials.
    """

    def __init__(self, config: RemoteConfig, listener: Listener) -> None:
        self.disabled = threading.Event()
        self.writes_disabled = threading.Event()
        self._config = config
        self._listener = listener
        self._lock = threading.Lock()
        self._told = self._begun = False
        self._reads = self._writes = 0
        self._waited = 0.0

    def before_request(self) -> None:
        """Called before each request: the first one may send credentials for all to read."""
        with self._lock:
            first, self._begun = not self._begun, True
        if first and self._config.in_the_open:
            self._listener(
                Note(
                    f"the remote cache {self._config.url} is asked without encryption, and the"
                    " credentials go with it: use https"
                )
            )

    def unreachable(self, what: str) -> None:
        """The server is not there, or too slow, or refuses to answer: it is not asked again."""
        self.disabled.set()
        self._tell(f"{what}; this build does without it")

    def access_denied(self, status: int) -> None:
        self.unreachable(self._refusal(status, "reading"))

    def bad_response(self, what: str) -> None:
        """It answered, but not with what was asked for."""
        with self._lock:
            self._reads += 1
            enough = self._reads >= FAILURES
        if enough:
            self.disabled.set()
        self._tell(f"{what}; that was not used")

    def unusable(self, what: str) -> None:
        """What it sent is of no use here, which need not be its fault."""
        self._tell(f"{what}; that was not used")

    def not_stored(self, what: str, status: int = 0) -> None:
        """It did not take something.  What it has can still be read."""
        with self._lock:
            self._writes += 1
            if self._writes >= FAILURES or status in (*REFUSED, 405):
                self.writes_disabled.set()
        if status in REFUSED:
            what = self._refusal(status, "writing")
        elif status == 405:
            what = "takes nothing (status 405): it is for reading only"
        self._tell(f"{what}; not all that was built is kept there")

    def add_wait(self, seconds: float) -> None:
        """A request took `seconds` more than its bytes need: many slow answers are too many."""
        with self._lock:
            self._waited += max(0.0, seconds - GRACE)
            slow = self._waited > self._config.timeout
        if slow and not self.disabled.is_set():
            self.unreachable(f"is slow: it was waited for {self._waited:.0f} s")

    def local_error(self, what: str) -> None:
        """Not the server's fault: a file on this side could not be read or written."""
        self._tell(f"could not be used: {what}")

    def _refusal(self, status: int, what: str) -> str:
        pair = f"{USER} and {PASSWORD}"
        if self._config.token:
            why = f"the token in {TOKEN} does not do"
        elif self._config.user:
            why = f"the user and password in {pair}, or in the address, do not do"
        else:
            why = f"if it wants to know who asks, set {TOKEN}, or {pair}"
        return f"refuses {what} (status {status}): {why}"

    def _tell(self, what: str) -> None:
        with self._lock:
            first, self._told = not self._told, True
        if first:
            self._listener(Note(f"the remote cache {self._config.url} {what}"))
