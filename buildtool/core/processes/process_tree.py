"""Ends processes: a group, a session, all running tools."""

from __future__ import annotations

import contextlib
import contextvars
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

GRACE_SECONDS = 3.0
"""The time that a program has to end after SIGTERM before it is killed."""


class RunningTools:
    """The tools that the threads of one build run, so that all of them can be ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._terminated = threading.Event()

    @contextlib.contextmanager
    def track(self, pid: int) -> Iterator[None]:
        """Register the leader of a session for the block, at whose end it must not be reaped yet.

        Raises `KeyboardInterrupt` before or after the block when `terminate` was called.
        """
        with self._lock:
            self._running.add(pid)
            ended = self._terminated.is_set()
        try:
            if ended:
                raise KeyboardInterrupt
            yield
        finally:
            with self._lock:
                self._running.discard(pid)
        if self._terminated.is_set():
            raise KeyboardInterrupt

    def sleep(self, seconds: float) -> None:
        """Sleep; raises `KeyboardInterrupt` when `terminate` is called."""
        if self._terminated.wait(seconds):
            raise KeyboardInterrupt

    def terminate(self) -> None:
        """Send SIGTERM to all tools and let no other start; kills them after `GRACE_SECONDS`."""
        with self._lock:
            self._terminated.set()
            for pid in self._running:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGTERM)
        timer = threading.Timer(GRACE_SECONDS, self._kill)
        timer.daemon = True
        timer.start()

    def _kill(self) -> None:
        with self._lock:
            for pid in self._running:
                kill_session(pid)


RUNNING_TOOLS = contextvars.ContextVar("RUNNING_TOOLS", default=RunningTools())  # noqa: B039 - it is never terminated


@contextlib.contextmanager
def running_tools() -> Iterator[RunningTools]:
    """The tools that are started in the block, by this thread and by threads that run in a copy of
    its context."""
    tools = RunningTools()
    token = RUNNING_TOOLS.set(tools)
    try:
        yield tools
    finally:
        RUNNING_TOOLS.reset(token)


def kill_group(pid: int) -> None:
    """Kill every process of a group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_session(leader: int) -> None:
    """Kill every process of a session, in all of its groups.

    The kernel does not reuse the number of a session as long as there is a process in it.
    """
    kill_group(leader)
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        members = [pid for pid in _processes() if _session(pid) == leader]
        if not members:
            return
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - names


def _session(pid: int) -> int:
    """The session of a process; 0 when it has ended."""
    fields = _stat(pid)
    return int(fields[3]) if fields else 0


def processor_ticks(leader: int) -> int:
    """The processor time that a session has used so far, in clock ticks, with that of processes
    that its members have waited for, and of the sessions that hold a file lock they wait for."""
    stats = {pid: fields for pid in _processes() if (fields := _stat(pid))}
    session = {pid: int(fields[3]) for pid, fields in stats.items()}
    waits = [(session.get(waiter), session.get(holder)) for waiter, holder in _lock_waits()]
    counted: set[int | None] = {leader}
    for _ in waits:
        counted |= {holder for waiter, holder in waits if waiter in counted}
    return sum(sum(map(int, f[11:15])) for pid, f in stats.items() if session[pid] in counted)


def _lock_waits() -> list[tuple[int, int]]:
    """The processes that wait for a file lock, each with one that holds it.

    Source: proc_locks(5).
    """
    waits, holder = [], 0
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:  # not every container has it
        return []
    for words in map(str.split, lines):
        if words[1] == "->":
            waits.append((int(words[5]), holder))
        else:
            holder = int(words[4])
    return waits


def start_of(pid: int) -> int:
    """When a process started, in clock ticks since the boot; 0 when it has ended.

    Process and start together are not used again, as the number alone is.
    """
    fields = _stat(pid)
    return int(fields[19]) if fields else 0


def _stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the third one, the state, on; [] when it has ended.

    Source: proc_pid_stat(5).
    """
    try:
        # The name of the program is in parentheses, and may contain parentheses.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
    return [] if fields[0] in b"ZX" else fields


def kill_leftovers(pid: int) -> None:
    """Wait for the leader of a session to end, then kill its process group.

    When the leader was killed, and so could not end its children, kills the whole session.
    """
    with contextlib.suppress(ChildProcessError):
        # Not reaped here, so that its number is not reused.
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        if ended and ended.si_code == os.CLD_EXITED:
            kill_group(pid)
        else:
            kill_session(pid)
