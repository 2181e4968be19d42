"""A lock that is held for moments, and waited for with an end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.files import open_own

PATIENCE = 20.0
"""Seconds: whoever holds a lock of the cache for longer stands still, and must not stop others."""


@contextlib.contextmanager
def locked_briefly(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file `path` (made if need be) for the block.

    Raises `TimeoutError` when somebody else does not let go of it, `OSError` when the file cannot
    be made.
    """
    with os.fdopen(open_own(path, os.O_RDWR), "rb") as stream:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise TimeoutError(0, "another process keeps it locked", str(path)) from None
                time.sleep(0.002)
        yield
