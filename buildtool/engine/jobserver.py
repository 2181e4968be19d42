"""One budget of jobs over all the Ninjas that a build runs at the same time.

A pipe holds a token (a byte) for each job.  A Ninja has one job for free, its implicit one, so
whoever starts a Ninja takes a token for it first; for each further job Ninja takes one itself and
puts it back.  Ninja joins a jobserver only when it gets no `-j`, and 1.13 is the first that does.
Source: the GNU make manual, "POSIX Jobserver Interaction"; Ninja's jobserver.cc.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Iterator, Mapping
from types import TracebackType

MOST_JOBS = 1024
TOKEN = b"+"


def default_jobs() -> int:
    """As many jobs as Ninja would run by itself: a few more than there are processors for us."""
    processors = len(os.sched_getaffinity(0))
    return {1: 2, 2: 3}.get(processors, min(processors + 2, MOST_JOBS))


class Jobserver:
    """A budget of `jobs` jobs (1 to `MOST_JOBS`), for as long as the `with` block runs.

    What runs in it gets `environment` and is started while `token()` is held.
    """

    def __init__(self, jobs: int) -> None:
        if not 1 <= jobs <= MOST_JOBS:
            raise ValueError(f"{jobs} jobs: it must be 1 to {MOST_JOBS}")
        self.jobs = jobs
        self._changed = threading.Condition()
        self._users = 0
        self._lost = False

    def __enter__(self) -> Jobserver:
        self._source, self._sink = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._refill()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._source)
        os.close(self._sink)

    @property
    def environment(self) -> Mapping[str, str]:
        """What makes a Ninja join, and with it all that it runs.

        The path is that of a descriptor of this process.  It has no blank in it, which would end
        it for Ninja; and when this process is killed nothing is left of it.

        What stands after `--` GNU make does not read, and Ninja does: a make before 4.4 that a
        component runs would end at once, for it does not know a fifo.
        """
        return {"MAKEFLAGS": f" -- --jobserver-auth=fifo:/proc/{os.getpid()}/fd/{self._source}"}

    @contextlib.contextmanager
    def token(self) -> Iterator[None]:
        """Wait for a free job and hold it for the block: that of a CMake, the first of a Ninja.

        A thread that holds one must not ask for another.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._lost)
            self._users += 1
        try:
            token = self._take()
            try:
                yield
            finally:
                os.write(self._sink, token)
        finally:
            with self._changed:
                self._users -= 1
                if not self._users:
                    self._refill()
                    self._lost = False
                    self._changed.notify_all()

    def lost(self) -> None:
        """A tool was killed, and its tokens with it.  To be called while the token for it is held.

        Nobody can tell how many it had, as long as others have some too.  So nobody gets a
        token until all who have one are done; then the budget is whole again.
        """
        with self._changed:
            self._lost = True

    def _take(self) -> bytes:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        while True:
            poll.poll()
            with contextlib.suppress(BlockingIOError):  # a Ninja was faster
                return os.read(self._source, 1)

    def _refill(self) -> None:
        """Make the budget whole; only when nobody holds a part of it."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._source, MOST_JOBS):
                pass
        os.write(self._sink, TOKEN * self.jobs)
