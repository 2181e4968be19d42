"""File stamps: metadata of a file, from which one can tell whether its content may have changed.

The digests of large files that seldom change are cached by them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.files import file_digest, is_digest, read_regular, write_if_changed

SETTLED_NS = 2_000_000_000
"""A file that changed less than this ago may change again without a new stamp: file systems
store times with a granularity of up to two seconds."""

_CLOCK_OF_FILE_TIMES = 5
"""CLOCK_REALTIME_COARSE of clock_gettime(2): the kernel takes the times of files from it, or finer
ones since the last time that it changed, every 1 to 10 ms."""

Stamp = tuple[int, int, int, int]
"""Inode, size in bytes, times of modification and of status change in ns since the epoch."""


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a file with this status."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_settled(changed_ns: int) -> bool:
    """Whether a file with this newest time has a stamp that identifies its content."""
    return time.time_ns() - changed_ns > SETTLED_NS


def time_between_changes() -> int:
    """A time in ns since the epoch that divides the changes of files: those before the call have an
    earlier ctime, those after it the same or a later one.  Takes about 5 ms."""
    called = time.time_ns()
    while (now := time.clock_gettime_ns(_CLOCK_OF_FILE_TIMES)) <= called:
        time.sleep(0.0005)
    return now


def cached_digest(path: Path) -> str:
    """sha256 of the file's bytes, in hex; reads the file only when its device or stamp changed.

    Raises `OSError` when the file cannot be read.
    """
    path = path.resolve()
    status = path.stat()
    stamp = "".join(f"{number} " for number in (status.st_dev, *stamp_of(status)))
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    note = cache_dir() / "digests" / name
    try:
        text = read_regular(note).decode()
    except (OSError, UnicodeDecodeError):
        text = ""
    digest = text.removeprefix(stamp)
    if text.startswith(stamp) and is_digest(digest):
        return digest
    digest = file_digest(path)
    if is_settled(status.st_ctime_ns):
        with contextlib.suppress(OSError):  # a read-only cache only costs time
            write_if_changed(note, stamp + digest)
    return digest
