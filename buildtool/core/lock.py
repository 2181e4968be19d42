"""Locks on files and directories, across threads and processes.

The kernel releases a lock when its holder dies, so a lock is never stale.  Temporary directories
are locked by their owner: a later process removes those of killed ones.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from buildtool.core.files import open_descriptor, open_own, temporary_file
from buildtool.core.trees import remove_tree

_POLL_SECONDS = 0.002
QUIET_SECONDS = 0.5
"""How long nobody is told that a lock is waited for."""


@contextlib.contextmanager
def locked(
    path: Path, waiting: Callable[[], None] = lambda: None, *, timeout: float | None = None
) -> Iterator[None]:
    """Hold a lock on the file `path`, which is created if it is missing, for the block.

    `waiting` is called once when another holder keeps the lock for longer than `QUIET_SECONDS`.
    Raises `TimeoutError` when the lock is not free within `timeout` seconds (None: wait without
    limit), and `OSError` when the file cannot be created.
    """
    with os.fdopen(open_own(path, os.O_RDWR), "rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            quiet = QUIET_SECONDS if timeout is None else min(QUIET_SECONDS, timeout)
            if not _acquired_within(stream, quiet):
                waiting()
                if timeout is None:
                    fcntl.flock(stream, fcntl.LOCK_EX)
                elif not _acquired_within(stream, timeout - quiet):
                    raise TimeoutError(0, "another process keeps it locked", str(path)) from None
        yield


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[int | None]:
    """Hold a lock on the file `path` for the block, which receives its descriptor; None when
    another holder has the lock or there is no such file."""
    handle = -1
    try:
        handle = open_descriptor(path, os.O_RDWR | os.O_NOFOLLOW)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held: int | None = handle
    except OSError:
        held = None
    try:
        yield held
    finally:
        if handle >= 0:
            os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether another holder keeps a lock on the file `path`."""
    with try_lock(path) as held:
        return held is None and path.exists()


def holder_of(path: Path) -> str:
    """The process that keeps a lock on the file `path`, with its command; "" if it is not known."""
    import shlex  # noqa: PLC0415 - seldom

    with contextlib.suppress(OSError, ValueError, IndexError):
        status = path.stat()
        device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        for row in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            _, kind, _, _, process, file, *_ = row.split()
            if (kind, file) == ("FLOCK", device) and int(process) > 0:
                command = Path(f"/proc/{process}/cmdline").read_bytes().rstrip(b"\0")
                words = command.decode(errors="replace").split("\0")
                return f"process {process}, {shlex.join(words)}"
    return ""


@contextlib.contextmanager
def locked_temporary_file(folder: Path, prefix: str) -> Iterator[Path]:
    """A `temporary_file`; those with this prefix that killed processes have left are removed, since
    a file is locked as long as it is being written."""
    for left in folder.glob(f"{prefix}*"):
        with try_lock(left) as held:
            if held is not None:
                left.unlink(missing_ok=True)
    with temporary_file(folder, prefix) as fresh, try_lock(fresh):
        yield fresh


@contextlib.contextmanager
def held_directory(directory: Path) -> Iterator[None]:
    """Hold a shared lock on `directory` for the block: `is_held` reports it to others."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def is_held(directory: Path) -> bool:
    """Whether a process holds `directory`."""
    try:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _acquired_within(stream: BinaryIO, seconds: float) -> bool:
    """Whether `stream` was locked within so many seconds; flock has no timeout of its own."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(_POLL_SECONDS)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


@contextlib.contextmanager
def held_temporary_directory(prefix: str) -> Iterator[Path]:
    """A new directory, whose name begins with `prefix`, which is removed after the block.

    Also removes the directories with this prefix that processes left which were killed: a directory
    is held as long as its owner lives.  Raises `OSError`.
    """
    root = _temporary_directories()
    for left in root.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):  # it is held, or another user's
            _remove_unless_held(left)
    while True:
        folder = root / f"{prefix}{os.urandom(6).hex()}"
        folder.mkdir(0o700)
        with contextlib.ExitStack() as stack:
            stack.callback(remove_tree, folder, ignore_errors=True)
            with contextlib.suppress(FileNotFoundError):
                stack.enter_context(held_directory(folder))
            if folder.is_dir():  # else another process has removed it before it was held
                yield folder
                return


def _temporary_directories() -> Path:
    """The directory that `tempfile` would choose.  With all that it imports, it would take a
    twentieth of the time before a program starts, so it is asked only in unusual places."""
    usual = Path(os.environ.get("TMPDIR") or "/tmp")
    writable = usual.is_dir() and os.access(usual, os.W_OK | os.X_OK)
    if writable and usual.is_absolute() and "tempfile" not in sys.modules:
        return usual
    import tempfile  # noqa: PLC0415

    return Path(tempfile.gettempdir())


def _remove_unless_held(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(handle).st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_tree(folder)  # locked: who is about to hold it waits, and finds it removed
    finally:
        os.close(handle)
