"""A damaged or lost index of the local cache is built again from its files."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from buildtool.cache.maintenance import gc

from .kit import Break, Kit, empty, flip, folder, truncate


def no_database(index: Path) -> None:
    index.write_bytes(b"no database" * 1000)


def no_page(index: Path) -> None:
    """The header is valid, the tables are not."""
    data = index.read_bytes()
    index.write_bytes(data[:200] + b"\xff" * (len(data) - 200))


def other_tables(index: Path) -> None:
    index.unlink()
    with sqlite3.connect(index) as database:
        database.execute("CREATE TABLE x(y)")
        database.execute("PRAGMA user_version = 1")
    database.close()


def foreign_key(index: Path) -> None:
    """A key that is the path of another file."""
    with sqlite3.connect(index) as database:
        database.execute(
            "UPDATE item SET key = '../source' WHERE key = (SELECT key FROM item ORDER BY used)"
        )
    database.close()


def wrong_types(index: Path) -> None:
    with sqlite3.connect(index) as database:
        database.execute("UPDATE item SET size = x'ff', used = 'long ago'")
        database.execute("UPDATE named SET document = 7")
    database.close()


def stale_journal(index: Path) -> None:
    index.with_name(index.name + "-journal").write_bytes(b"\xd9\xd5\x05\xf9 \xa1c\xd7" * 100)


INDEX_BREAKS = [
    *(Path.unlink, empty, truncate, flip, no_database, no_page),
    *(other_tables, foreign_key, wrong_types, stale_journal, folder),
]


@pytest.mark.parametrize("damage", INDEX_BREAKS)
def test_a_damaged_index_costs_a_rebuild_and_nothing_else(kit: Kit, damage: Break) -> None:
    keys = [kit.put_action(number) for number in range(10)]
    before = kit.cache.index.total()
    damage(kit.cache.index.path)
    keys.append(kit.put_action(10))
    kit.cache.close()
    assert kit.cache.index.total() == pytest.approx(before * 1.1, rel=0.01)
    assert all(kit.whole(key) for key in keys)
    limited = kit.opened(limit=before // 2)
    kit.put_action(11, limited)
    limited.close()
    assert kit.cache.index.total() <= before // 2
    assert (kit.tmp / "source").exists()
    assert kit.events == []


def test_use_is_known_after_the_index_was_lost(kit: Kit) -> None:
    keys = [kit.put_action(number) for number in range(10)]
    kit.cache.close()
    reading = kit.opened()
    assert reading.document(keys[0])
    reading.close()
    kit.cache.index.path.unlink()
    gc(kit.cache.store, kit.cache.index.total() // 2)
    left = [number for number, key in enumerate(keys) if kit.whole(key)]
    assert 0 in left
    assert 1 not in left
