"""Make room in the cache: what was used longest ago goes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from buildtool.cache.index import Index, Row
from buildtool.cache.store import Store
from buildtool.core.value import Value

ACTIONS = "actions"
"""Name of the action cache in the cache directory."""


class Freed(Value):
    """What was deleted: how many documents and blobs, and how many bytes they had."""

    items: int = 0
    bytes: int = 0


class Entry(Value):
    """Something besides the action cache that takes room: `used` is when it was last used, in
    nanoseconds since the epoch; `delete` returns whether it could be deleted."""

    name: str
    size: int
    used: int
    delete: Callable[[], bool]


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


T = TypeVar("T", bound=_Sized)


def evict(
    store: Store, index: Index, target: int, entries: Iterable[Entry] = ()
) -> dict[str, Freed]:
    """Delete what was used longest ago until no more than `target` bytes are left of the action
    cache and `entries`; returns what was, by the name in the cache directory.

    A document that names a deleted blob goes as well.  Others may use, put and evict meanwhile: at
    worst they find something missing.
    """
    rows = index.rows()
    everything: list[Row | Entry] = [*rows, *entries]
    everything.sort(key=lambda each: each.used)  # documents stay before blobs of the same time
    chosen = choose(everything, target)
    gone = [each for each in chosen if isinstance(each, Row)]
    blobs = {row.item.key for row in gone if row.item.kind == "cas"}
    useless = index.documents_naming(blobs)
    known = {row.item for row in gone}
    gone += [
        row
        for row in rows
        if row.item.kind == "ac" and row.item.key in useless and row.item not in known
    ]
    freed = {ACTIONS: delete(store, index, gone)}
    for each in chosen:
        if isinstance(each, Entry) and each.delete():
            before = freed.get(each.name, Freed())
            freed[each.name] = Freed(before.items + 1, before.bytes + each.size)
    return freed


def choose(things: Sequence[T], target: int) -> list[T]:
    """Of things in the order of their last use the first ones, until the others fit `target`."""
    total = sum(each.size for each in things)
    chosen = []
    for each in things:
        if total <= target:
            break
        chosen.append(each)
        total -= each.size
    return chosen


def delete(store: Store, index: Index, rows: Iterable[Row]) -> Freed:
    """Delete items, documents first: so none is left that names what is gone."""
    rows = sorted(rows, key=lambda row: row.item.kind)
    sizes = [store.size(row.item) for row in rows]
    for row in rows:
        store.discard(row.item)
    # The rows last: what is deleted and still counted does less harm than the other way round.
    index.forget(rows)
    there = [size for size in sizes if size is not None]
    return Freed(len(there), sum(there))
