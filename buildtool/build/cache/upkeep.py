"""What `buildtool cache` does: tell, make room, check, clear."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from buildtool.build.cache.action import blobs_named
from buildtool.build.cache.evict import Freed, evict
from buildtool.build.cache.index import Index
from buildtool.build.cache.store import KINDS, Item, Store, remove

ACTIONS = "actions"
"""Name of the action cache in the cache directory."""
OTHERS = {
    "zig": "compiled by zig",
    "emulator": "programs of the emulated device",
    "device": "emulated devices",
    "buildtool-cdsprpc": "import stubs",
    "digests": "digests of compilers and SDKs",
    "sysroots": "pulled from devices",
    "toolchains": "compilers that builds use",
}
"""What else lies in the cache directory."""
KEPT = ("sysroots",)
"""What is never cleared: it takes a device to get it again."""


class Tally(NamedTuple):
    """How many files there are, and their bytes."""

    files: int = 0
    bytes: int = 0


class Verified(NamedTuple):
    """What `verify` checked, the paths of what was wrong, and how many documents were useless:
    a blob that they name is not there, which is no fault, as blobs are evicted.  All that is
    deleted."""

    documents: Tally
    blobs: Tally
    wrong: tuple[Path, ...]
    useless: int


def tally(store: Store) -> tuple[Tally, Tally]:
    """Documents and blobs."""
    sizes: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for item, stored in store.items():
        sizes[item.kind].append(stored.size)
    documents, blobs = (Tally(len(sizes[kind]), sum(sizes[kind])) for kind in KINDS)
    return documents, blobs


def others(directory: Path) -> dict[str, Tally]:
    """What lies in the cache directory besides the action cache, by name."""
    names = sorted(path.name for path in directory.iterdir()) if directory.is_dir() else []
    return {name: _tally_tree(directory / name) for name in names if name != ACTIONS}


def gc(store: Store, limit: int) -> Freed:
    """Bring index and files together, delete what was used longest ago down to `limit` bytes."""
    store.sweep()
    index = Index(store)
    index.rebuild()
    return evict(store, index, limit)


def verify(store: Store) -> Verified:
    """Read and check every document and blob; delete what is wrong."""
    store.sweep()
    wrong = list(store.strays())
    for path in wrong:
        remove(path)
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
        Tally(len(sizes), sum(sizes))
        for sizes in ([stored.size for item, stored in items if item.kind == k] for k in KINDS)
    )
    return Verified(documents, blobs, tuple(wrong), useless)


def clear(store: Store) -> Freed:
    """Delete all documents and blobs."""
    files = size = 0
    for item, stored in list(store.items()):
        store.discard(item)
        files, size = files + 1, size + stored.size
    for path in store.strays():
        remove(path)
    if store.directory.is_dir():
        store.sweep(older=0.0)
        Index(store).rebuild()
    return Freed(files, size)


def clear_others(directory: Path) -> dict[str, Freed]:
    """Delete what else comes back by itself; of a link the link only."""
    freed = {}
    for name in OTHERS:
        path = directory / name
        if name in KEPT or not os.path.lexists(path):
            continue
        there = Tally() if path.is_symlink() else _tally_tree(path)
        remove(path)
        freed[name] = Freed(there.files, there.bytes)
    return freed


def _is_whole(store: Store, item: Item) -> bool:
    text = store.read_document(item.key) or b""
    return all(store.size(Item("cas", blob)) is not None for blob in blobs_named(text))


def _tally_tree(root: Path) -> Tally:
    seen = set()
    files = size = 0
    for status in _statuses(root):
        if stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            files, size = files + 1, size + status.st_size
    return Tally(files, size)


def _statuses(root: Path) -> Iterator[os.stat_result]:
    if not root.is_dir():
        yield root.lstat()
        return
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                yield os.lstat(f"{folder}/{name}")
            except OSError:
                continue  # deleted meanwhile
