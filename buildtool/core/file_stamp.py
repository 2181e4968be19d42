"""File stamps: metadata of a file, from which one can tell whether its content may have changed.

A program can set the time of modification of a file, but not the time of its last change of status,
so a replaced file with its old time of modification is noticed.

Four modules remember results by stamps.  They share this definition and differ in what they store:
`core.digest_cache` one digest per file, `sdk.probe_cache` the output of a program with the stamps
of all files that it names, `inputs.stored_digests` the digests of some 50,000 files in one file
that is read at once, and `drivers.cmake.tree_record` what Ninja wrote into a build tree.
"""

from __future__ import annotations

import os
import time

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
