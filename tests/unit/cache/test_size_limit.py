"""The size limit of the local cache: the least recently used entries are deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.cache.eviction import select_oldest
from buildtool.cache.index import Row
from buildtool.cache.local import cache_limit, parse_size
from buildtool.cache.maintenance import gc
from buildtool.cache.store import DOCUMENT_LIMIT, Item, Stored
from buildtool.core.errors import UsageError

from .kit import KEY, Kit, sha


def test_the_least_recently_used_go_first(kit: Kit) -> None:
    keys = [kit.put_action(number) for number in range(20)]
    kit.cache.close()
    reading = kit.opened()
    assert reading.document(keys[0])
    reading.close()
    size = sum(stored.size for _, stored in kit.cache.store.items())
    small = kit.opened(limit=size // 2)
    keys.append(kit.put_action(99, small))
    small.close()
    left = [number for number, key in enumerate(keys) if kit.whole(key)]
    assert left[0] == 0  # it was the last to be read
    assert left[1:] == list(range(21 - len(left) + 1, 21))
    kept = sum(stored.size for _, stored in kit.cache.store.items())
    assert 0.7 * size / 2 < kept <= 0.9 * size / 2


def test_a_document_is_deleted_with_its_blob(kit: Kit) -> None:
    key = kit.put_action(1)
    kit.put(b"x" * 5000)
    for row in kit.cache.index.rows():
        if row.item.kind == "ac":  # as if it had been used later than its blob
            os.utime(kit.cache.store.path(row.item), ns=(1 << 62, 1 << 62))
    gc(kit.cache.store, 5500)
    assert not kit.whole(key)
    assert kit.cache.document(key) is None
    assert kit.cache.has(sha(b"x" * 5000))


def test_many_puts_keep_the_limit_before_the_end(kit: Kit) -> None:
    cache = kit.opened(limit=100_000)
    for number in range(160):
        kit.put_action(number, cache)
    assert cache.index.total() <= 102_500
    assert kit.whole(sha(b"action 159"))


def test_the_end_keeps_the_limit_whatever_was_put(kit: Kit) -> None:
    for number in range(80):
        kit.put_action(number)
    limit = kit.cache.index.total()
    cache = kit.opened(limit=limit)
    kit.put_action(80, cache)
    assert cache.index.total() > limit  # too little was stored for a check of the size
    cache.close()
    assert 0.8 * limit < cache.index.total() <= 0.9 * limit


def test_what_is_put_again_is_as_good_as_new(kit: Kit) -> None:
    for data in (b"a" * 100, b"b" * 100, b"a" * 100):
        kit.put(data)
    gc(kit.cache.store, 100)
    assert kit.cache.has(sha(b"a" * 100))
    assert not kit.cache.has(sha(b"b" * 100))


def test_what_is_renewed_during_an_eviction_stays_counted(kit: Kit) -> None:
    kit.put(b"a" * 100)
    index = kit.cache.index
    seen = index.rows()
    kit.put(b"a" * 100)
    index.forget(seen)
    assert index.total() == 100
    index.forget(index.rows())
    assert index.total() == 0


def test_entries_are_not_counted_while_one_appears(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise an eviction could delete the row before the file exists, which is never counted."""
    monkeypatch.setattr("buildtool.cache.index.LOCK_TIMEOUT", 0.01)
    index = kit.cache.index

    def appear() -> None:
        with pytest.raises(TimeoutError):
            index.rows()

    index.add(Item("cas", KEY), 1, appear)
    assert index.total() == 1


def test_what_is_larger_than_the_limit_is_not_put(kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 101)
    cache = kit.opened(limit=100)
    assert not cache.put(sha(b"x" * 101), tmp_path / "large")
    assert not cache.put_document(KEY, b"x" * 101)
    assert not kit.cache.put_document(KEY, b" " * (DOCUMENT_LIMIT + 1))


def test_the_first_are_chosen_until_the_others_fit() -> None:
    rows = [Row(Item("cas", sha(bytes([n]))), Stored(10, n)) for n in range(10)]
    assert select_oldest(rows, 100) == []
    assert select_oldest(rows, 99) == rows[:1]
    assert select_oldest(rows, 0) == rows
    assert select_oldest([], 0) == []


def test_sizes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"20G": 20 << 30, "1.5 k": 1536, "7 B": 7, "7b": 7, "2MiB": 2 << 20, "0": 0}
    assert {text: parse_size(text, "x") for text in sizes} == sizes
    for wrong in ("", "G", "5", "5 i", "-1", "1X", "nan", "1e9", "9" * 30):
        with pytest.raises(UsageError, match="x: "):
            parse_size(wrong, "x")
    monkeypatch.delenv("BUILDTOOL_CACHE_SIZE", raising=False)
    assert cache_limit() == 10 << 30
    monkeypatch.setenv("BUILDTOOL_CACHE_SIZE", "2G")
    assert cache_limit() == 2 << 30
