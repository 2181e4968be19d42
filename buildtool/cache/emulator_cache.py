"""The programs of the emulated device in the user's cache, by the digest of their sources.

<key>/          the build tree, with the programs in `install`
<key>.state/    the step records of the build, with the digests of the programs
<key>.lock      locked during a build; its time of modification is that of the last use
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.cache import cache_dir
from buildtool.core.lock import try_lock
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.cache.eviction import Evictable

NAME = "emulator"
INSTALL = "install"
DAY_NS = 24 * 3600 * 10**9
"""Programs that were used within this time are kept: they may be running."""
TRANSLATIONS = "translations"  # as in emulator/shell/saved_code.c
MAX_TRANSLATIONS = 16  # a skel of 1 MB has 13 MB


class Emulator(Value):
    """Where the built binaries are."""

    cdsprpc: Path
    shell: Path


def directory() -> Path:
    """The directory of all builds."""
    return cache_dir() / NAME


def state_of(tree: Path) -> Path:
    """The state directory of the build tree `tree`."""
    return tree.with_suffix(".state")


def note_use(program: Path) -> None:
    """Record that a program of the emulator is used now."""
    tree = program.parent.parent
    with contextlib.suppress(OSError):
        if time.time_ns() - _used(tree) > DAY_NS // 24:
            os.utime(lock_of(tree))


def keep_translations(shell: Path) -> None:
    """Make the directory for translated code, which the DSP shell finds beside its program, and
    delete the files that were not used for the longest time.  A read-only cache has none."""
    folder = shell.parent / TRANSLATIONS
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
        used = {path: path.lstat().st_mtime_ns for path in folder.iterdir()}
        for path in sorted(used, key=used.__getitem__)[:-MAX_TRANSLATIONS]:
            path.unlink()


def entries(folder: Path) -> Iterator[Evictable]:
    """The builds in `folder` that can be deleted now."""
    from buildtool.cache.eviction import Evictable, disk_usage  # noqa: PLC0415 - not for each run

    for tree in trees(folder):
        used = _used(tree)
        if time.time_ns() - used > DAY_NS:
            size = sum(disk_usage(path).bytes for path in (tree, state_of(tree)))
            yield Evictable(NAME, size, used, partial(_delete, tree, used))


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
    """The lock file of `tree`."""
    return tree.with_suffix(".lock")


def _used(tree: Path) -> int:
    """The time of the last use, in ns since the epoch; 0 when it is unknown."""
    try:
        return lock_of(tree).lstat().st_mtime_ns
    except OSError:
        return 0
