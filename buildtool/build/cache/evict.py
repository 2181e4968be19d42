"""Make room in the cache: what was used longest ago goes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from buildtool.build.cache.index import Index, Row
from buildtool.build.cache.store import Store


class Freed(NamedTuple):
    """What was deleted: how many documents and blobs, and how many bytes they had."""

    items: int = 0
    bytes: int = 0


def evict(store: Store, index: Index, target: int) -> Freed:
    """Delete what was used longest ago until no more than `target` bytes are left.

    A document that names a deleted blob goes as well.  Others may use, put and evict meanwhile: at
    worst they find something missing.
    """
    rows = index.rows()
    chosen = choose(rows, target)
    blobs = {row.item.key for row in chosen if row.item.kind == "cas"}
    useless = index.naming(blobs)
    beyond = rows[len(chosen) :]
    chosen += [row for row in beyond if row.item.kind == "ac" and row.item.key in useless]
    return delete(store, index, chosen)


def choose(rows: Sequence[Row], target: int) -> list[Row]:
    """Of rows in the order of their last use the first ones, until the others fit `target`."""
    total = sum(row.stored.size for row in rows)
    chosen = []
    for row in rows:
        if total <= target:
            break
        chosen.append(row)
        total -= row.stored.size
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
