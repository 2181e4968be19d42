"""The only place where this project starts processes.

`capture` runs a tool and keeps what it prints; `foreground` hands the terminal
to a program and returns its status.  Arguments are lists, environments are
explicit, and no process outlives the call.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from buildtool.core.errors import BuildtoolError

PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
GRACE_SECONDS = 3.0


class ToolError(BuildtoolError):
    """A tool could not be started, ran too long, or failed."""

    code = "tool-failed"


@dataclass(frozen=True, slots=True)
class Completed:
    """A finished process: its arguments, exit status (negative: a signal) and whole output."""

    argv: tuple[str, ...]
    status: int
    output: str

    @property
    def command(self) -> str:
        return shlex.join(self.argv)


def capture(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    timeout: float | None = None,
    on_line: Callable[[str], None] | None = None,
) -> Completed:
    """Run `argv` without a terminal; keep its output (both streams, in order).

    `on_line` sees each line as it comes.  The process gets a session of its own, and
    the whole session is ended on timeout, on Ctrl-C, on any error of the listener and when the
    program is killed.

    Raises `ToolError` when the program cannot be started or exceeds `timeout` seconds,
    `KeyboardInterrupt` when the work that it belongs to is ended (`running_tools`).
    """
    arguments = tuple(str(a) for a in argv)
    tools = _TOOLS.get()
    lines: list[str] = []
    expired = threading.Event()
    with _start(
        arguments,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        # Ninja passes SIGTERM on to its jobs, which have process groups of their own.
        preexec_fn=lambda: _prctl(PR_SET_PDEATHSIG, signal.SIGTERM),
    ) as process:

        def expire() -> None:
            expired.set()
            _end_session(process.pid)

        timer = threading.Timer(timeout, expire) if timeout else None
        if timer:
            timer.start()
        # What the tool leaves running in the background would keep its output open.
        ender = threading.Thread(target=_end_rest_after, args=(process.pid,), daemon=True)
        ender.start()
        try:
            assert process.stdout is not None
            with signals_as_interrupt():
                with tools.having(process.pid):
                    for raw in process.stdout:
                        line = raw.decode(errors="replace").rstrip("\n")
                        lines.append(line)
                        if on_line:
                            on_line(line)
                    ender.join()
                status = process.wait()
        except BaseException:
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(GRACE_SECONDS)
            _end_session(process.pid)
            raise
        finally:
            if timer:
                timer.cancel()
    if expired.is_set():
        raise ToolError(
            f"{Path(arguments[0]).name} did not finish in {timeout:g} s",
            why=f"command: {shlex.join(arguments)}",
            remedy="Run the command by hand to see where it hangs.",
        )
    return Completed(arguments, status, "\n".join(lines))


class Tools:
    """The tools that the threads of one piece of work run, to be ended all at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._ended = False

    @contextlib.contextmanager
    def having(self, pid: int) -> Iterator[None]:
        """Count the leader of a session among the tools for the block, which ends before
        it is reaped.

        Raises `KeyboardInterrupt` when all are to end, before the block and after it.
        """
        with self._lock:
            self._running.add(pid)
            ended = self._ended
        try:
            if ended:
                raise KeyboardInterrupt
            yield
        finally:
            with self._lock:
                self._running.discard(pid)
        if self._ended:
            raise KeyboardInterrupt

    def end(self) -> None:
        """Ask all tools to end, and let no other start; after `GRACE_SECONDS` they are killed."""
        with self._lock:
            self._ended = True
            for pid in self._running:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGTERM)
        timer = threading.Timer(GRACE_SECONDS, self._kill)
        timer.daemon = True
        timer.start()

    def _kill(self) -> None:
        with self._lock:
            for pid in self._running:
                _end_session(pid)


_TOOLS = contextvars.ContextVar("_TOOLS", default=Tools())  # noqa: B039 - it is never ended


@contextlib.contextmanager
def running_tools() -> Iterator[Tools]:
    """The tools that are started in the block: by this thread, and by threads that run in a copy
    of its context."""
    tools = Tools()
    token = _TOOLS.set(tools)
    try:
        yield tools
    finally:
        _TOOLS.reset(token)


def check(done: Completed, what: str, *, remedy: str = "") -> Completed:
    """Return `done` when it succeeded; else raise `ToolError` with the end of its output."""
    if done.status == 0:
        return done
    tail = "\n".join(done.output.splitlines()[-40:])
    raise ToolError(
        f"{what} failed (exit status {done.status})",
        why=f"command: {done.command}\n{tail}",
        remedy=remedy,
    )


def foreground(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path,
    stdout: int | None = None,
) -> int:
    """Run `argv` on the caller's terminal and return its status, 128+n for signal n.

    `stdout` is a descriptor that takes the place of the program's standard output.
    Ctrl-C reaches the program through the terminal; what is left of it and of the
    processes it started is ended before this returns or raises.

    Raises `ToolError` when the program cannot be started, `KeyboardInterrupt` after Ctrl-C.
    """
    arguments = tuple(str(a) for a in argv)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    # A process that is killed outright cannot clean up: the kernel then ends the child.
    process = _start(
        arguments,
        env=env,
        cwd=cwd,
        stdout=stdout,
        preexec_fn=lambda: _prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
    )
    try:
        with signals_as_interrupt():
            status = process.wait()
    except KeyboardInterrupt:
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.send_signal(signal.SIGINT)
            process.wait(GRACE_SECONDS)
        raise
    finally:
        _end_children()
    return 128 - status if status < 0 else status


def _start(
    argv: tuple[str, ...],
    *,
    env: Mapping[str, str],
    cwd: Path | None,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    start_new_session: bool = False,
    preexec_fn: Callable[[], object] | None = None,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            argv,
            env=dict(env),
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=start_new_session,
            preexec_fn=preexec_fn,  # noqa: PLW1509 - it calls prctl and nothing else
        )
    except OSError as error:
        raise ToolError(
            f"{argv[0]} could not be started",
            why=f"{error.strerror}: {error.filename}",
            remedy="Check that the program is installed and executable.",
        ) from error


_PRCTL = ctypes.CDLL(None).prctl  # looked up here: a child of a process with threads must not


def _prctl(option: int, value: int) -> None:
    _PRCTL(option, value, 0, 0, 0)


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _end_session(leader: int) -> None:
    """Kill every process of a session, whatever groups they have made.

    The kernel gives the number of a session to nobody else as long as there is a process in it.
    """
    _end_group(leader)
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
    try:
        # The name of the program stands in parentheses, and may have some of its own.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in b"ZX" else int(fields[3])


def _end_rest_after(pid: int) -> None:
    """Wait for the leader of a session to end, then end what it left running.

    That is its process group; when it was killed, as it could then not end its children, all
    of the session.
    """
    with contextlib.suppress(ChildProcessError):
        # Not reaped here: until it is, nobody else gets this number.
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        if ended and ended.si_code == os.CLD_EXITED:
            _end_group(pid)
        else:
            _end_session(pid)


@contextlib.contextmanager
def signals_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP as Ctrl-C, so that clean-up runs for them too.

    Signals come to the main thread: in another one this does nothing.
    """

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {s: signal.signal(s, interrupt) for s in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_children() -> None:
    """Kill and reap what is left below this process; orphans have come to us (subreaper)."""
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        children = _children()
        if not children:
            return
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)


def _children() -> list[int]:
    path = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    try:
        return [int(word) for word in path.read_text().split()]
    except OSError:
        return []
