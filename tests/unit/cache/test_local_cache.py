"""The local cache: atomic writes, and reads that are verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.cache import local
from buildtool.cache.maintenance import verify
from buildtool.cache.store import Item
from buildtool.core.events import Note
from buildtool.core.lock import locked

from .kit import KEY, Break, Kit, empty, flip, folder, link, pipe, sha, truncate


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
