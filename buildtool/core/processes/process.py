"""The only module of this project that starts processes.

`capture` runs a tool and returns its output; `running` gives access to the streams of a process
while it runs.  Arguments are lists, environments are explicit, and no process outlives the call,
except those that ssh and adb start in a session of their own: the shared connection to a host, and
adb's server.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.interrupts import signals_as_interrupt
from buildtool.core.processes.process_tree import (
    GRACE_SECONDS,
    RUNNING_TOOLS,
    kill_group,
    kill_leftovers,
    kill_session,
    processor_ticks,
)
from buildtool.core.value import Value

Process = subprocess.Popen[bytes]
PIPE, DEVNULL, WITH_STDOUT = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT
"""Streams of a process: a new pipe, /dev/null, and for standard error the standard output."""
SHOWN_LINES = 40  # of the end of a failed tool's output
GIT_SECONDS = 600.0
_GIT_HOOKS = ("DIR", "WORK_TREE", "INDEX_FILE", "PREFIX", "COMMON_DIR", "OBJECT_DIRECTORY")
"""`GIT_…`: variables with which git runs hooks: they name the repository of the user's tree."""


class ToolError(BuildtoolError):
    """A tool could not be started, ran too long, or failed."""

    code = "tool-failed"


class ToolInterrupt(KeyboardInterrupt):
    """Ctrl-C while a tool ran, which ended with `status`, as in `Completed`."""

    def __init__(self, status: int | None) -> None:
        super().__init__()
        self.status = status


class Completed(Value):
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
    idle_limit: float | None = None,
    on_line: Callable[[str], None] | None = None,
    umask: int = -1,
    stdin: int | None = None,
) -> Completed:
    """Run `argv` without a terminal, and return its output (both streams, in order).

    `on_line` is called with each line; bytes that are not UTF-8 are decoded as in file names (PEP
    383).  `umask` is that of the process (-1: the caller's), `stdin` the descriptor of a file that
    it reads.  The process runs in its own session, all of which is ended on timeout, on Ctrl-C, on
    an error of `on_line` and when the process is killed.

    Raises `ToolError` when the program cannot be started, exceeds `timeout` seconds, or neither
    prints nor uses processor time for `idle_limit` seconds, and `ToolInterrupt` on Ctrl-C and when
    all tools of its build are ended (see `running_tools`).
    """
    arguments = tuple(str(a) for a in argv)
    tools = RUNNING_TOOLS.get()
    lines: list[str] = []
    expired = threading.Event()
    started = _started(
        arguments,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        umask=umask,
    )
    with started as process, process:

        def expire() -> None:
            expired.set()
            kill_session(process.pid)

        timer = threading.Timer(timeout, expire) if timeout else None
        if timer:
            timer.start()
        ended = threading.Event()
        if idle_limit:
            watched = (process.pid, lines, idle_limit, ended, expire)
            threading.Thread(target=_watch, args=watched, daemon=True).start()
        # Background processes of the tool would keep its output open.
        ender = threading.Thread(target=kill_leftovers, args=(process.pid,), daemon=True)
        ender.start()
        try:
            assert process.stdout is not None
            with signals_as_interrupt():
                with tools.track(process.pid):
                    for raw in process.stdout:
                        line = raw.decode(errors="surrogateescape").rstrip("\n")
                        lines.append(line)
                        if on_line:
                            on_line(line)
                    ender.join()
                status = process.wait()
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(GRACE_SECONDS)
            kill_session(process.pid)
            if isinstance(error, KeyboardInterrupt):
                raise ToolInterrupt(process.poll()) from error
            raise
        finally:
            ended.set()
            if timer:
                timer.cancel()
    if expired.is_set():
        how = (
            f"did nothing for {idle_limit:g} s"
            if idle_limit
            else f"did not finish in {timeout:g} s"
        )
        raise ToolError(
            f"{Path(arguments[0]).name} {how}",
            why="\n".join([f"command: {shlex.join(arguments)}", *lines[-SHOWN_LINES:]]),
            remedy="Run the command by hand to see where it hangs.",
        )
    return Completed(arguments, status, "\n".join(lines))


def _watch(
    leader: int,
    lines: Sequence[str],
    limit: float,
    ended: threading.Event,
    expire: Callable[[], None],
) -> None:
    """Call `expire` when a session has neither printed nor used processor time for `limit` seconds,
    unless it has ended."""
    seen, since = (0, 0), time.monotonic()
    while not ended.wait(min(limit / 4, 1)):
        now = len(lines), processor_ticks(leader)
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > limit:
            expire()
            return


def check(done: Completed, what: str, *, remedy: str = "") -> Completed:
    """Return `done` if it succeeded; raises `ToolError` with the end of its output if not."""
    if done.status == 0:
        return done
    tail = "\n".join(done.output.splitlines()[-SHOWN_LINES:])
    raise ToolError(
        f"{what} failed (exit status {done.status})",
        why=f"command: {done.command}\n{tail}",
        remedy=remedy,
    )


@contextlib.contextmanager
def running(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    stdin: int | None,
    stdout: int | None,
    stderr: int | None,
    cwd: Path | None = None,
    pass_fds: Sequence[int] = (),
    own_session: bool = True,
) -> Iterator[Process]:
    """A process for the block, whose streams are descriptors, `PIPE`, or the caller's if
    None.  It is killed when it has not ended at the end of the block.

    Without a session of its own the process gets the signals of the caller's terminal, and has time
    to end before it is killed.  Raises `ToolError` when the program cannot be started.
    """
    started = _started(
        tuple(str(a) for a in argv),
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=own_session,
        pass_fds=pass_fds,
    )
    with signals_as_interrupt(), started as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                if own_session:
                    kill_group(process.pid)
                else:
                    _terminate(process)
                process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                # ValueError: a thread that writes to it closes it at the same moment.
                with contextlib.suppress(OSError, ValueError):
                    if stream:
                        stream.close()


def _terminate(process: Process) -> None:
    """End a process on the caller's terminal, whose settings it restores if it has time to."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
        process.wait(GRACE_SECONDS)
    process.kill()


@contextlib.contextmanager
def _started(
    argv: tuple[str, ...],
    *,
    env: Mapping[str, str],
    cwd: Path | None,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    start_new_session: bool = False,
    umask: int = -1,
    pass_fds: Sequence[int] = (),
) -> Iterator[Process]:
    """A new process.  When the block ends before the process, or this program is killed, the kernel
    ends the process, or asks its whole group to end if it has its own session."""
    with _pipe() as (read, _write):
        try:
            process = subprocess.Popen(
                argv,
                env=dict(env),
                cwd=cwd,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=start_new_session,
                umask=umask,
                pass_fds=[read, *pass_fds],
            )
        except OSError as error:
            raise ToolError(
                f"{argv[0]} could not be started",
                why=f"{error.strerror}: {error.filename}",
                remedy="Pass less in arguments and variables, for example the name of a file."
                if error.errno == errno.E2BIG
                else "Check that the program is installed and executable.",
            ) from error
        if start_new_session:
            # Ninja passes SIGTERM on to its jobs, which have their own process groups.
            _signal_at_hangup(read, -process.pid, signal.SIGTERM)
        else:
            _signal_at_hangup(read, process.pid, signal.SIGKILL)
        yield process


@contextlib.contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


def _signal_at_hangup(read: int, owner: int, number: int) -> None:
    """Have the kernel send a signal to the process `owner` (a group if negative) when the last
    write end of a pipe is closed, which is when this program has ended.

    The owner has inherited the read end.  Source: fcntl(2), F_SETOWN, F_SETSIG and O_ASYNC.
    prctl(2) with PR_SET_PDEATHSIG does the same for one process, but the child itself has to call
    it: in Python that is a `preexec_fn`, which is not safe in a program with threads.
    """
    fcntl.fcntl(read, fcntl.F_SETSIG, number)
    fcntl.fcntl(read, fcntl.F_SETOWN, owner)
    fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)


def git(directory: Path, *arguments: str) -> str:
    """The output of a git command, with the warnings that it prints; raises `ToolError` when it
    fails."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not (name.startswith("GIT_") and name[4:] in _GIT_HOOKS)
    }
    environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "-C", str(directory), "-c", "core.hooksPath=/dev/null", *arguments]
    done = capture(command, env=environment, timeout=GIT_SECONDS)
    check(done, f"git {arguments[0]}")
    return done.output.rstrip("\n")
