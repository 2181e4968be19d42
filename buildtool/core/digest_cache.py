"""Digests of large files that seldom change, remembered by what the file system says of them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.files import file_digest, read_regular, write_if_changed

SETTLED_NS = 2_000_000_000
"""A file that was changed less than this ago may change again without a new time stamp."""


def cached_digest(path: Path) -> str:
    """sha256 of the file's bytes; read only when it is another file than the last time.

    "Another" means: device, inode, size, time of modification or time of change differ.  The
    last one cannot be set by a program, so a replaced file with its old time stamp is noticed.
    Raises `OSError` when the file cannot be read.
    """
    path = path.resolve()
    status = path.stat()
    stamp = f"{status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns} "
    stamp += f"{status.st_ctime_ns} "
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:32]
    note = cache_dir() / "digests" / name
    try:
        said = read_regular(note).decode()
    except (OSError, UnicodeDecodeError):
        said = ""
    digest = said.removeprefix(stamp)
    if said.startswith(stamp) and len(digest) == hashlib.sha256().digest_size * 2:
        return digest
    digest = file_digest(path)
    if time.time_ns() - status.st_ctime_ns > SETTLED_NS:
        # A cache that cannot be written to costs time, nothing else.
        with contextlib.suppress(OSError):
            write_if_changed(note, stamp + digest)
    return digest
