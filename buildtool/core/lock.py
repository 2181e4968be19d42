"""One writer at a time for a directory, across processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from buildtool.core.files import open_descriptor, open_own


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold an exclusive lock on the file `path` (made if need be) for the block.

    `waiting` is called once when somebody else holds it.  The kernel frees the lock when
    its holder dies, so a lock is never stale.
    """
    with os.fdopen(open_own(path, os.O_RDWR), "rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[int | None]:
    """Hold an exclusive lock on the file `path` for the block, which gets its descriptor; None
    when somebody else holds one, or there is no such file."""
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
