"""zig's cache: what it compiled without dependency files, which are mostly its own libraries.

h/    manifests: the files that a compilation read; zig fails for one whose outputs are missing
o/    outputs
z/    parsed source files of zig's library
tmp/  temporary files: zig leaves an empty directory for each object that it compiles with a
      dependency file, two for each preprocessed file, and all files of a failed compilation

The format of what is in them changes with each version of zig, so all of it is evicted at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from buildtool.cache.disk_usage import disk_usage
from buildtool.cache.eviction import Evictable
from buildtool.core.cache import cache_dir
from buildtool.core.own_directory import make_directory
from buildtool.core.trees import remove_tree
from buildtool.core.unwritable import as_unwritable_error

NAME = "zig"
FOLDERS = ("b", "h", "o", "tmp", "z")
HOUR_NS = 3600 * 10**9
DAY_NS = 24 * HOUR_NS
"""A cache that was used within this time is kept: zig may be running."""
_OUTPUT = re.compile(rf"\b{NAME}/o/([0-9a-f]{{32}})/")
_TEMPORARY = re.compile(r"[0-9a-f]{16}(-.*)?")


def make_ready() -> Path:
    """Create zig's cache directory, check that it is writable, and record its use; returns it.

    Raises `UnwritableError` when this user may not write there, and other `OSError`s.
    """
    directory = cache_dir() / NAME
    make_directory(directory)
    for folder in (directory, *(directory / name for name in FOLDERS)):
        if os.path.lexists(folder):
            make_directory(folder)
            if not os.access(folder, os.W_OK | os.X_OK):
                denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
                raise as_unwritable_error(denied) or denied
    if time.time_ns() - _used(directory) > HOUR_NS:
        with contextlib.suppress(OSError):
            os.utime(directory)
    return directory


def entries(directory: Path) -> Iterator[Evictable]:
    """The cache in `directory`, if it can be evicted now."""
    used = _used(directory)
    if used and time.time_ns() - used > DAY_NS:
        yield Evictable(NAME, disk_usage(directory).bytes, used, partial(_delete, directory, used))


def sweep(directory: Path) -> None:
    """Delete temporary files that are older than an hour: no process writes to them any more."""
    folder = directory / "tmp"
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if _TEMPORARY.fullmatch(path.name) and time.time_ns() - _used(path) > HOUR_NS:
                remove_tree(path)


def repair(directory: Path, message: str) -> bool:
    """Delete all manifests if `message`, the output of a tool, names outputs that are missing.

    Returns whether it did: then the tool may succeed when it is run again.
    """
    named = {match[1] for match in _OUTPUT.finditer(message)}
    if all(any((directory / "o" / name).glob("*")) for name in named):
        return False
    for manifest in (directory / "h").glob("*"):
        remove_tree(manifest)
    return True


def _delete(directory: Path, used: int) -> bool:
    if _used(directory) != used:
        return False
    for name in FOLDERS:
        remove_tree(directory / name)
    return True


def _used(path: Path) -> int:
    """The time of modification in ns since the epoch, for a link that of its target; 0 when the
    path is missing."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
