"""The local cache: atomic writes, verified reads, and its size limit."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.cache import local
from buildtool.cache.action import Action, read_action
from buildtool.cache.eviction import select_oldest
from buildtool.cache.index import Row
from buildtool.cache.local import LocalCache, cache_limit, parse_size
from buildtool.cache.maintenance import gc, verify
from buildtool.cache.outputs import Output
from buildtool.cache.store import DOCUMENT_LIMIT, Item, Stored
from buildtool.core.errors import UsageError
from buildtool.core.events import Event, Note
from buildtool.core.lock import locked

KEY = "d" * 64
Break = Callable[[Path], None]


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Kit:
    """A cache, and files to store in it."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp = tmp_path
        self.events: list[Event] = []
        self.cache = self.opened()

    def opened(self, limit: int = 1 << 30) -> LocalCache:
        return LocalCache(self.tmp / "cache", limit, self.events.append)

    def put(self, data: bytes, cache: LocalCache | None = None) -> str:
        source = self.tmp / "source"
        source.write_bytes(data)
        assert (cache or self.cache).put(sha(data), source)
        return sha(data)

    def put_action(self, number: int, cache: LocalCache | None = None, size: int = 1000) -> str:
        """Put an action with one output; returns its key."""
        digest = self.put(number.to_bytes(4, "big") * (size // 4), cache)
        key = sha(f"action {number}".encode())
        action = Action(KEY, key, {}, (Output("out", "file", digest, size),), "1", 0.0)
        assert (cache or self.cache).put_document(key, action.as_bytes())
        return key

    def whole(self, key: str) -> bool:
        """Whether the action and its output exist; this does not count as use."""
        cache = self.opened()
        action = read_action(cache.document(key) or b"", key)
        return action is not None and all(cache.has(one.digest) for one in action.outputs)

    def blob(self, digest: str) -> Path:
        return self.cache.store.path(Item("cas", digest))


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path)


def test_what_was_put_is_fetched(kit: Kit, tmp_path: Path) -> None:
    digest = kit.put(b"content")
    assert kit.cache.has(digest)
    assert kit.cache.fetch(digest, tmp_path / "into")
    assert (tmp_path / "into").read_bytes() == b"content"
    assert (tmp_path / "into").stat().st_mode & 0o777 == 0o644
    assert kit.cache.put_document(KEY, b"first")
    assert kit.cache.put_document(KEY, b"second")
    assert kit.cache.document(KEY) == b"second"
    assert kit.events == []


def test_an_empty_cache_is_read_without_making_anything(kit: Kit, tmp_path: Path) -> None:
    assert kit.cache.document(KEY) is None
    assert not kit.cache.has(KEY)
    assert not kit.cache.fetch(KEY, tmp_path / "into")
    kit.cache.close()
    assert list(tmp_path.iterdir()) == []


def test_only_content_that_matches_its_digest_is_stored(kit: Kit, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"changed meanwhile")
    assert not kit.cache.put(sha(b"as it was digested"), source)
    assert not kit.cache.has(sha(b"as it was digested"))
    assert not kit.cache.has(sha(b"changed meanwhile"))
    assert not kit.cache.put(KEY, tmp_path / "gone")
    assert list((tmp_path / "cache" / "tmp").iterdir()) == []
    assert kit.events == []


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.chmod(0o600)
    os.truncate(path, path.stat().st_size - 1)


def empty(path: Path) -> None:
    path.chmod(0o600)
    os.truncate(path, 0)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    (path / "sub").mkdir(parents=True)


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


BREAKS = pytest.mark.parametrize("damage", [flip, truncate, empty, pipe, folder, link])


@BREAKS
def test_a_damaged_blob_is_missing_and_can_be_put_again(
    kit: Kit, tmp_path: Path, damage: Break
) -> None:
    digest = kit.put(b"content")
    damage(kit.blob(digest))
    (tmp_path / "into").write_text("before")
    assert not kit.cache.fetch(digest, tmp_path / "into")
    assert (tmp_path / "into").read_text() == "before"
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())
    kit.put(b"content")
    assert kit.cache.fetch(digest, tmp_path / "into")


@BREAKS
def test_a_damaged_document_is_missing_and_can_be_put_again(kit: Kit, damage: Break) -> None:
    kit.cache.put_document(KEY, b"a document")
    damage(kit.cache.store.path(Item("ac", KEY)))
    assert kit.cache.document(KEY) is None
    assert kit.cache.put_document(KEY, b"a document")
    assert kit.cache.document(KEY) == b"a document"


def test_a_document_in_the_place_of_another_is_damaged(kit: Kit) -> None:
    kit.cache.put_document(KEY, b"a document")
    other = kit.cache.store.path(Item("ac", "e" * 64))
    other.parent.mkdir(parents=True)
    kit.cache.store.path(Item("ac", KEY)).rename(other)
    assert kit.cache.document("e" * 64) is None


def test_keys_that_are_no_digests_never_become_paths(kit: Kit, tmp_path: Path) -> None:
    for key in ("", "../../x", "A" * 64, "/etc/passwd", KEY + "\n"):
        with pytest.raises(ValueError, match="is not an item of a cache"):
            kit.cache.document(key)
        with pytest.raises(ValueError, match="is not an item of a cache"):
            kit.cache.fetch(key, tmp_path / "into")


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
    monkeypatch.setattr(local, "LOCK_TIMEOUT", 0.01)
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


def test_a_cache_that_cannot_be_written_is_reported_once(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file")
    assert not kit.cache.put_document(KEY, b"a")
    assert not kit.opened().put_document(KEY, b"a")
    assert not kit.cache.add_path_set(KEY, {})
    kit.cache.close()
    assert len(kit.events) == 1
    note = kit.events[0]
    assert isinstance(note, Note)
    assert note.text.startswith("the cache cannot be written: ")


def test_a_cache_that_could_not_be_written_is_only_read(kit: Kit, tmp_path: Path) -> None:
    kit.put_action(1)
    kit.cache.store.directory.rename(tmp_path / "away")
    (tmp_path / "cache").touch()
    assert not kit.cache.put_document(KEY, b"a")
    (tmp_path / "cache").unlink()
    (tmp_path / "away").rename(tmp_path / "cache")
    assert not kit.cache.put_document(KEY, b"a")
    assert kit.cache.document(sha(b"action 1"))


def test_a_lock_that_somebody_keeps_costs_a_note(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "LOCK_TIMEOUT", 0.01)
    assert kit.cache.add_path_set(KEY, {"files": ["a"]})
    with locked(kit.cache.directory / "path-sets.lock"):
        assert not kit.cache.add_path_set(KEY, {"files": ["b"]})
    assert "another process keeps it locked" in str(kit.events)
    assert kit.cache.path_sets(KEY) == ({"files": ["a"]},)


def test_path_sets_are_merged(kit: Kit) -> None:
    assert kit.cache.path_sets(KEY) == ()
    for name in ("a", "b", "a"):
        assert kit.cache.add_path_set(KEY, {"files": (name,)})
    assert kit.opened().path_sets(KEY) == ({"files": ["a"]}, {"files": ["b"]})


def test_verify_deletes_and_reports_damaged_entries(kit: Kit) -> None:
    keys = [kit.put_action(number) for number in range(4)]
    digests = [sha(number.to_bytes(4, "big") * 250) for number in range(4)]
    assert verify(kit.cache.store).wrong == ()
    store = kit.cache.store
    flip(store.path(Item("cas", digests[0])))
    flip(store.path(Item("ac", keys[1])))
    stray = store.directory / "cas" / "notes.txt"
    stray.touch()
    store.discard(Item("cas", digests[3]))  # as eviction does
    done = verify(store)
    assert set(done.wrong) == {
        store.path(Item("cas", digests[0])),
        store.path(Item("ac", keys[1])),
        stray,
    }
    assert done.useless == 2  # documents of the changed and of the evicted blob
    assert [kit.whole(key) for key in keys] == [False, False, True, False]
    assert verify(store).wrong == ()


def test_the_first_are_chosen_until_the_others_fit() -> None:
    rows = [Row(Item("cas", sha(bytes([n]))), Stored(10, n)) for n in range(10)]
    assert select_oldest(rows, 100) == []
    assert select_oldest(rows, 99) == rows[:1]
    assert select_oldest(rows, 0) == rows
    assert select_oldest([], 0) == []


def test_sizes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"20G": 20 << 30, "1.5 k": 1536, "7": 7, "2MiB": 2 << 20, "0": 0}
    assert {text: parse_size(text, "x") for text in sizes} == sizes
    for wrong in ("", "G", "-1", "1X", "nan", "1e9", "9" * 30):
        with pytest.raises(UsageError, match="x: "):
            parse_size(wrong, "x")
    monkeypatch.delenv("BUILDTOOL_CACHE_SIZE", raising=False)
    assert cache_limit() == 10 << 30
    monkeypatch.setenv("BUILDTOOL_CACHE_SIZE", "2G")
    assert cache_limit() == 2 << 30
