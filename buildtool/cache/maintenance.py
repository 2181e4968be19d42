"""The commands of `buildtool cache`: statistics, eviction, verification, deletion."""

from __future__ import annotations

from pathlib import Path

from buildtool.cache.action import blobs_named
from buildtool.cache.eviction import DiskUsage, Freed, evict
from buildtool.cache.index import Index
from buildtool.cache.other_caches import OtherCaches
from buildtool.cache.store import KINDS, Item, Store
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value

RECENT = 60.0
"""Seconds: a temporary file that was written to within this time is kept for its writer."""


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


def gc(store: Store, limit: int, others: OtherCaches | None = None) -> dict[str, Freed]:
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


def clear(store: Store) -> Freed:
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
    return Freed(files, size)


def _is_whole(store: Store, item: Item) -> bool:
    text = store.read_document(item.key) or b""
    return all(store.size(Item("cas", blob)) is not None for blob in blobs_named(text))
