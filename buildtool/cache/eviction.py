"""Evicts the least recently used entries of the cache; the disk usage of files and directories."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from buildtool.cache.index import Index, Row
from buildtool.cache.store import Store
from buildtool.core.value import Described, Value, computed

ACTIONS = "actions"
"""Name of the action cache's directory in the cache directory."""


class Evictable(Value):
    """Something outside the action cache that can be evicted.

    `size` is in bytes, `used` the time of the last use in ns since the epoch; `delete` returns
    whether it was deleted.
    """

    name: str
    size: int
    used: int
    delete: Callable[[], bool]


def evict(
    store: Store, index: Index, target: int, entries: Iterable[Evictable] = ()
) -> dict[str, DiskUsage]:
    """Delete the least recently used of the items in `store` and of `entries` until `target` bytes
    are left; returns what was deleted, by name in the cache directory.

    A document that refers to a deleted blob is deleted too.  Other processes may read, write and
    evict at the same time: at worst they find something missing.
    """
    rows = index.rows()
    everything: list[Row | Evictable] = [*rows, *entries]
    everything.sort(key=lambda each: each.used)  # documents stay before blobs of the same time
    chosen = select_oldest(everything, target)
    deleted = [each for each in chosen if isinstance(each, Row)]
    blobs = {row.item.key for row in deleted if row.item.kind == "cas"}
    useless = index.documents_naming(blobs)
    known = {row.item for row in deleted}
    deleted += [
        row
        for row in rows
        if row.item.kind == "ac" and row.item.key in useless and row.item not in known
    ]
    freed = {ACTIONS: delete(store, index, deleted)}
    for each in chosen:
        if isinstance(each, Evictable) and each.delete():
            before = freed.get(each.name, DiskUsage())
            freed[each.name] = DiskUsage(before.files + 1, before.bytes + each.size)
    return freed


def select_oldest(items: Sequence[Row | Evictable], target: int) -> list[Row | Evictable]:
    """The first of `items`, in order of their last use, without which the rest fits `target`."""
    total = sum(each.size for each in items)
    chosen = []
    for each in items:
        if total <= target:
            break
        chosen.append(each)
        total -= each.size
    return chosen


def delete(store: Store, index: Index, rows: Iterable[Row]) -> DiskUsage:
    """Delete items, documents first, so that none refers to a blob that is missing."""
    rows = sorted(rows, key=lambda row: row.item.kind)
    sizes = [store.size(row.item) for row in rows]
    for row in rows:
        store.discard(row.item)
    # Rows last: counting a deleted item does less harm than not counting an existing one.
    index.forget(rows)
    existing = [size for size in sizes if size is not None]
    return DiskUsage(len(existing), sum(existing))


class DiskUsage(Described):
    """A number of files, and their bytes."""

    files: int = 0
    file_count: Annotated[int, "files"] = computed(lambda self: self.files)
    bytes: Annotated[int, "their size"] = 0


def disk_usage(root: Path) -> DiskUsage:
    """The files below `root`, or `root` itself; files with several hard links count once."""
    seen = set()
    files = size = 0
    for status in _statuses(root):
        if stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            files, size = files + 1, size + status.st_size
    return DiskUsage(files, size)


def _statuses(root: Path) -> Iterator[os.stat_result]:
    if not root.is_dir():
        if os.path.lexists(root):
            yield root.lstat()
        return
    folders = [str(root)]
    while folders:
        with (
            contextlib.suppress(OSError),
            os.scandir(folders.pop()) as entries,
        ):  # deleted meanwhile, or not readable
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                    continue
                with contextlib.suppress(FileNotFoundError):
                    yield entry.stat(follow_symlinks=False)
