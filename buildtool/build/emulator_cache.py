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

from buildtool.build.cache.evict import Entry
from buildtool.build.cache.tally import Tally, tally_tree
from buildtool.build.disk import Disk
from buildtool.build.record import read_record, spoiled
from buildtool.core import own
from buildtool.core.cache import cache_dir
from buildtool.core.lock import locked_now
from buildtool.core.value import Value

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


def is_whole(tree: Path) -> bool:
    """Whether what was made in `tree` is there as it was made; what was looked at is remembered."""
    disk = Disk(state_of(tree) / "digests")
    whole = not _wrong(tree, disk)
    disk.save()
    return whole


def note_use(tree: Path) -> None:
    """Note that what was made in `tree` is used now."""
    with contextlib.suppress(OSError):
        if time.time_ns() - _used(tree) > DAY_NS // 24:
            os.utime(_lock(tree))


class Checked(Value):
    """What `verify` has checked, and the paths of what was wrong."""

    checked: Tally
    wrong: tuple[Path, ...]


def verify(folder: Path) -> Checked:
    """Check everything against what was noted when it was made; what is wrong is deleted, and is
    made again when it is needed."""
    files = size = 0
    wrong: list[Path] = []
    for tree in _trees(folder):
        if not (state_of(tree).is_dir() and os.path.lexists(tree / INSTALL)):
            continue  # it is made again when it is needed
        with locked_now(_lock(tree)) as lock:
            if lock is None:
                continue  # it is being built
            found = _wrong(tree, Disk())
            there = tally_tree(tree / INSTALL)
            files, size = files + there.files, size + there.bytes
            wrong += found
            if found:
                own.remove(tree / INSTALL)
    return Checked(Tally(files, size), tuple(wrong))


def entries(folder: Path) -> Iterator[Entry]:
    """What can be deleted of the programs in `folder` now."""
    for tree in _trees(folder):
        used = _used(tree)
        if time.time_ns() - used > DAY_NS:
            size = sum(tally_tree(path).bytes for path in (tree, state_of(tree)))
            yield Entry(NAME, size, used, partial(_delete, tree, used))


def _wrong(tree: Path, disk: Disk) -> list[Path]:
    """What is not as it was made: all of it when that is not known."""
    output = tree / INSTALL
    records = [read_record(file) for file in (state_of(tree) / "steps").glob("*.json")]
    if not records or None in records:
        return [output]
    return [
        output / name
        for record in records
        if record
        for name, _ in spoiled(record.outputs, output, disk.state)
    ]


def _delete(tree: Path, used: int) -> bool:
    with locked_now(_lock(tree)) as lock:
        if lock is None or _used(tree) != used:
            return False
        own.remove(tree)
        own.remove(state_of(tree))
        return True


def _trees(folder: Path) -> list[Path]:
    found = [path for path in folder.iterdir() if not path.suffix] if folder.is_dir() else []
    return sorted(path for path in found if os.path.lexists(_lock(path)))


def _lock(tree: Path) -> Path:
    return tree.with_suffix(".lock")


def _used(tree: Path) -> int:
    """When it was last used, in ns; 0 when that is not known."""
    try:
        return _lock(tree).lstat().st_mtime_ns
    except OSError:
        return 0
