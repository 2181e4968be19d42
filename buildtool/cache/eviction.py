"""Evicts the least recently used entries of the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from buildtool.cache.index import Index, Row
from buildtool.cache.store import Store
from buildtool.core.value import Value

ACTIONS = "actions"
"""Name of the action cache's directory in the cache directory."""


class Freed(Value):
    """The number of deleted items, and their bytes."""

    items: int = 0
    bytes: int = 0


class Evictable(Value):
    """Something outside the action cache that can be evicted.

    `size` is in bytes, `used` the time of the last use in ns since the epoch; `delete` returns
    whether it was deleted.
    """

    name: str
    size: int
    used: int
    delete: Callable[[], bool]


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


T = TypeVar("T", bound=_Sized)


def evict(
    store: Store, index: Index, target: int, entries: Iterable[Evictable] = ()
) -> dict[str, Freed]:
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
            before = freed.get(each.name, Freed())
            freed[each.name] = Freed(before.items + 1, before.bytes + each.size)
    return freed


def select_oldest(items: Sequence[T], target: int) -> list[T]:
    """The first of `items`, in order of their last use, without which the rest fits `target`."""
    total = sum(each.size for each in items)
    chosen = []
    for each in items:
        if total <= target:
            break
        chosen.append(each)
        total -= each.size
    return chosen


def delete(store: Store, index: Index, rows: Iterable[Row]) -> Freed:
    """Delete items, documents first, so that none refers to a blob that is missing."""
    rows = sorted(rows, key=lambda row: row.item.kind)
    sizes = [store.size(row.item) for row in rows]
    for row in rows:
        store.discard(row.item)
    # Rows last: counting a deleted item does less harm than not counting an existing one.
    index.forget(rows)
    existing = [size for size in sizes if size is not None]
    return Freed(len(existing), sum(existing))
