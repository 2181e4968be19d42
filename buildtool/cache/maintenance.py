"""The commands of `buildtool cache`: statistics, eviction, verification, deletion.

The caches in the cache directory other than the action cache count towards the same size limit,
except those that `CACHES` excludes.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from buildtool.cache import emulator_cache, zig_cache
from buildtool.cache.action import blobs_named
from buildtool.cache.eviction import ACTIONS, DiskUsage, Evictable, disk_usage, evict
from buildtool.cache.index import Index
from buildtool.cache.store import KINDS, Item, Store
from buildtool.core.cache import CACHES
from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value

RECENT = 60.0
"""Seconds: a temporary file that was written to within this time is kept for its writer."""
COUNTED = tuple(name for name, cache in CACHES.items() if cache.counted and name != ACTIONS)
FILES = ("answers", "devices", "digests", "sdk-archives")
"""Caches of files, each of which can be evicted alone."""
SIZE_VALID_NS = 3600 * 10**9
"""How long a computed size is used: to compute it takes a tenth of a second."""


class VerifiedCache(Value):
    """The items that `verify` checked, and those that it deleted.

    `wrong` are the paths of damaged items and of files that are not items; `useless` is the number
    of documents that refer to a missing blob, which is not damage, as blobs are evicted.
    """

    documents: DiskUsage
    blobs: DiskUsage
    wrong: tuple[Path, ...]
    useless: int


def store_usage(store: Store) -> tuple[DiskUsage, DiskUsage]:
    """The disk usage of documents, and of blobs."""
    sizes: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for item, stored in store.items():
        sizes[item.kind].append(stored.size)
    documents, blobs = (DiskUsage(len(sizes[kind]), sum(sizes[kind])) for kind in KINDS)
    return documents, blobs


def gc(store: Store, limit: int, others: OtherCaches | None = None) -> dict[str, DiskUsage]:
    """Create the index again, and evict down to `limit` bytes."""
    store.sweep()
    index = Index(store)
    index.rebuild()
    if not others:
        return evict(store, index, limit)
    others.sweep()
    return others.collect(store, index, limit)


def verify(store: Store) -> VerifiedCache:
    """Read and check every document and blob, and delete those that are damaged or useless."""
    store.sweep()
    wrong = list(store.strays())
    for path in wrong:
        remove_tree(path, ignore_errors=True)
    items = list(store.items())
    for item, _ in items:
        if not store.check(item):
            wrong.append(store.path(item))
    useless = 0
    for item, _ in items:
        if item.kind == "ac" and not _is_whole(store, item):
            store.discard(item)
            useless += 1
    Index(store).rebuild()
    documents, blobs = (
        DiskUsage(len(sizes), sum(sizes))
        for sizes in ([stored.size for item, stored in items if item.kind == k] for k in KINDS)
    )
    return VerifiedCache(documents, blobs, tuple(wrong), useless)


def clear(store: Store) -> DiskUsage:
    """Delete all documents and blobs."""
    files = size = 0
    for item, stored in list(store.items()):
        store.discard(item)
        files, size = files + 1, size + stored.size
    for path in store.strays():
        remove_tree(path, ignore_errors=True)
    if store.directory.is_dir():
        store.sweep(older=RECENT)
        Index(store).rebuild()
    return DiskUsage(files, size)


def _is_whole(store: Store, item: Item) -> bool:
    text = store.read_document(item.key) or b""
    return all(store.size(Item("cas", blob)) is not None for blob in blobs_named(text))


class OtherCaches(Value):
    """The caches in the cache directory `directory` other than the action cache."""

    directory: Path

    def usage(self) -> dict[str, DiskUsage]:
        """The disk usage of everything other than the action cache, by name."""
        found = self.directory.iterdir() if self.directory.is_dir() else ()
        return {path.name: disk_usage(path) for path in sorted(found) if path.name != ACTIONS}

    def size(self) -> int:
        """The bytes that count towards the limit, at most an hour old; calls `sweep` each hour."""
        try:
            when, size = map(int, read_regular(self._note).split())
            if 0 <= time.time_ns() - when < SIZE_VALID_NS and size >= 0:
                return size
        except (OSError, ValueError):
            pass
        self.sweep()
        size = sum(disk_usage(self.directory / name).bytes for name in COUNTED)
        self._save_size(size)
        return size

    def collect(self, store: Store, index: Index, target: int) -> dict[str, DiskUsage]:
        """Evict the least recently used entries of `store` and of these caches, until `target`
        bytes are left of what can be evicted; returns what was deleted, by name."""
        entries = [*zig_cache.entries(self.directory / zig_cache.NAME), *self._entries()]
        freed = evict(store, index, target, entries)
        gone = sum(each.bytes for name, each in freed.items() if name != ACTIONS)
        self._save_size(sum(entry.size for entry in entries) - gone)
        return freed

    def sweep(self) -> None:
        """Delete temporary files of processes that were killed."""
        zig_cache.sweep(self.directory / zig_cache.NAME)

    def clear(self) -> dict[str, DiskUsage]:
        """Delete everything that a build can make again; of a link, only the link."""
        freed = {}
        for name, cache in CACHES.items():
            path = self.directory / name
            if name == ACTIONS or not cache.recreated or not os.path.lexists(path):
                continue
            freed[name] = DiskUsage() if path.is_symlink() else disk_usage(path)
            remove_tree(path, ignore_errors=True)
        remove_tree(self._note, ignore_errors=True)
        return freed

    def _entries(self) -> Iterator[Evictable]:
        for name in FILES:
            folder = self.directory / name
            for path in folder.iterdir() if folder.is_dir() else ():
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    used = max(status.st_atime_ns, status.st_mtime_ns)
                    yield Evictable(name, status.st_size, used, partial(_delete, path))
        yield from emulator_cache.entries(self.directory / emulator_cache.NAME)

    def _save_size(self, size: int) -> None:
        with contextlib.suppress(OSError):
            write_if_changed(self._note, f"{time.time_ns()} {size}")

    @property
    def _note(self) -> Path:
        return self.directory / ACTIONS / "neighbours"


def counted_bytes(found: Mapping[str, DiskUsage]) -> int:
    """The bytes of `found` that count towards the limit."""
    return sum(one.bytes for name, one in found.items() if name in COUNTED)


def _delete(path: Path) -> bool:
    remove_tree(path)
    return True
