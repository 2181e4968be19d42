"""One limit of jobs for all Ninja processes that a build runs at the same time.

A pipe holds a token (a byte) for each job.  A Ninja process runs one job without a token, so the
caller takes a token before it starts one; for each further job Ninja takes a token and puts it
back.  Ninja 1.13 is the first version that uses a jobserver, and only without `-j`.
Source: the GNU make manual, "POSIX Jobserver Interaction"; Ninja's jobserver.cc.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Iterator, Mapping
from types import TracebackType

MAX_JOBS = 1024
TOKEN = b"+"


def default_jobs() -> int:
    """The number of jobs that Ninja would run: a few more than this process has processors."""
    processors = len(os.sched_getaffinity(0))
    return {1: 2, 2: 3}.get(processors, min(processors + 2, MAX_JOBS))


class Jobserver:
    """A limit of `jobs` jobs (1 to `MAX_JOBS`) for the `with` block.

    Tools that are started in the block get `environment`, and `token()` is held while they run.
    """

    def __init__(self, jobs: int) -> None:
        if not 1 <= jobs <= MAX_JOBS:
            raise ValueError(f"{jobs} jobs: it must be 1 to {MAX_JOBS}")
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
        """The environment variables that make Ninja use the jobserver.

        The fifo is a descriptor of this process: its path has no space, which would end it for
        Ninja, and nothing is left of it when this process is killed.  GNU make does not read what
        is after `--`, and Ninja does: versions of make before 4.4, which a component may run, fail
        on a fifo.
        """
        return {"MAKEFLAGS": f" -- --jobserver-auth=fifo:/proc/{os.getpid()}/fd/{self._source}"}

    @contextlib.contextmanager
    def token(self) -> Iterator[None]:
        """Wait for a free job and hold it for the block: the job of CMake, or Ninja's first one.

        A thread that holds a token must not ask for another.
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
        """Note that a tool was killed, with its tokens.  The caller still holds the tool's token.

        It is unknown how many tokens the tool held, so no token is given out until all holders are
        done; then the pipe is filled again.
        """
        with self._changed:
            self._lost = True

    def _take(self) -> bytes:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        while True:
            poll.poll()
            with contextlib.suppress(BlockingIOError):  # another process took it
                return os.read(self._source, 1)

    def _refill(self) -> None:
        """Fill the pipe with all tokens; no token may be held."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._source, MAX_JOBS):
                pass
        os.write(self._sink, TOKEN * self.jobs)
