"""The emulated device's programs in the user's cache, by the digest of their sources.

<key>/          the build tree, and in it `install` with what it made
<key>.state/    what the build noted: among it the digests of what it made
<key>.lock      held while it is built; its time is that of the last use
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from buildtool.cache.disk_usage import disk_usage
from buildtool.cache.eviction import Entry
from buildtool.core.cache import cache_dir
from buildtool.core.lock import try_lock
from buildtool.core.trees import remove_tree

NAME = "emulator"
INSTALL = "install"
DAY_NS = 24 * 3600 * 10**9
"""What was used within this time stays: a program may be running."""


def directory() -> Path:
    """Where all of it is."""
    return cache_dir() / NAME


def state_of(tree: Path) -> Path:
    """The directory of what the build of `tree` notes."""
    return tree.with_suffix(".state")


def note_use(tree: Path) -> None:
    """Note that what was made in `tree` is used now."""
    with contextlib.suppress(OSError):
        if time.time_ns() - _used(tree) > DAY_NS // 24:
            os.utime(lock_of(tree))


def entries(folder: Path) -> Iterator[Entry]:
    """What can be deleted of the programs in `folder` now."""
    for tree in trees(folder):
        used = _used(tree)
        if time.time_ns() - used > DAY_NS:
            size = sum(disk_usage(path).bytes for path in (tree, state_of(tree)))
            yield Entry(NAME, size, used, partial(_delete, tree, used))


def _delete(tree: Path, used: int) -> bool:
    with try_lock(lock_of(tree)) as lock:
        if lock is None or _used(tree) != used:
            return False
        remove_tree(tree)
        remove_tree(state_of(tree))
        return True


def trees(folder: Path) -> list[Path]:
    """The build trees in `folder`."""
    found = [path for path in folder.iterdir() if not path.suffix] if folder.is_dir() else []
    return sorted(path for path in found if os.path.lexists(lock_of(path)))


def lock_of(tree: Path) -> Path:
    """The file that is locked while `tree` is built."""
    return tree.with_suffix(".lock")


def _used(tree: Path) -> int:
    """When it was last used, in ns; 0 when that is not known."""
    try:
        return lock_of(tree).lstat().st_mtime_ns
    except OSError:
        return 0
