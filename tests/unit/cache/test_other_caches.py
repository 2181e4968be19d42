"""The caches other than the action cache count towards the size limit, and are evicted."""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from buildtool.cache.eviction import DiskUsage
from buildtool.cache.local import LocalCache
from buildtool.cache.maintenance import SIZE_VALID_NS, OtherCaches, counted_bytes, gc
from buildtool.core.cache import CACHES
from buildtool.core.lock import locked

OLD = 1_000_000_000
KEY = "0123456789abcdef"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def make(path: Path, size: int, *, old: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    if old:
        os.utime(path, (OLD, OLD))
    return path


def put(cache: Path, data: bytes, limit: int = 1 << 30) -> Path:
    """Put a blob into the action cache; returns its path."""
    digest = hashlib.sha256(data).hexdigest()
    source = cache.with_name("source")
    source.write_bytes(data)
    (cache / "actions" / "neighbours").unlink(missing_ok=True)  # as after an hour
    with closing(LocalCache(cache / "actions", limit, print, OtherCaches(cache))) as actions:
        assert actions.put(digest, source)
        return cache / "actions" / "cas" / digest[:2] / digest


def test_what_counts(cache: Path) -> None:
    make(cache / "digests" / "a", 10)
    make(cache / "zig" / "h" / "timestamp", 20)
    make(cache / "sysroots" / "board" / "libc.so", 1000)
    make(cache / "toolchains" / "zig" / "zig", 1000)
    make(cache / "notes", 1000)
    found = OtherCaches(cache).usage()
    assert found["sysroots"].bytes == found["notes"].bytes == 1000
    assert counted_bytes(found) == OtherCaches(cache).size() == 30


def test_everything_that_a_build_makes_again_is_cleared(cache: Path) -> None:
    others = OtherCaches(cache)
    kept = make(cache / "sysroots" / "board" / "libc.so", 1000)
    for name in {name for name, each in CACHES.items() if each.recreated}:
        make(cache / name / "file", 10)
    assert others.size() > 0
    freed = others.clear()
    assert freed == {
        name: DiskUsage(1, 10)
        for name, each in CACHES.items()
        if each.recreated and name != "actions"
    }
    assert {path.name for path in cache.iterdir()} == {"actions", "sysroots"}
    assert others.size() == 0
    assert kept.exists()


def test_the_size_is_remembered_for_a_while(cache: Path) -> None:
    others = OtherCaches(cache)
    assert others.size() == 0
    make(cache / "digests" / "a", 10)
    assert others.size() == 0
    note = cache / "actions" / "neighbours"
    for text in (f"{time.time_ns() - SIZE_VALID_NS} 0", f"{time.time_ns() * 2} 0", "", "x y", "1"):
        note.write_text(text)
        assert others.size() == 10


def test_least_recently_used_entries_of_all_caches_are_deleted_first(cache: Path) -> None:
    blob = put(cache, b"b" * 1000)
    old = make(cache / "digests" / "old", 1000, old=True)
    new = make(cache / "answers" / "new", 1000)
    put(cache, b"c" * 1000, limit=3900)
    assert not old.exists()
    assert blob.exists()
    assert new.exists()


def test_actions_go_for_what_was_used_later(cache: Path) -> None:
    blob = put(cache, b"b" * 1000)
    os.utime(blob, (OLD, OLD))
    (cache / "actions" / "index.sqlite").unlink()
    new = make(cache / "digests" / "new", 1000)
    put(cache, b"c" * 1000, limit=2500)
    assert not blob.exists()
    assert new.exists()


def test_what_cannot_go_does_not_push_actions_out(cache: Path) -> None:
    blob = put(cache, b"b" * 1000)
    make(cache / "zig" / "h" / "timestamp", 100_000)
    gc(LocalCache(cache / "actions", 0, print).store, 1000, OtherCaches(cache))
    assert blob.exists()


def test_leftovers_of_killed_zig_processes_are_deleted_after_a_build(cache: Path) -> None:
    stale, fresh = (cache / "zig" / "tmp" / name for name in (KEY, "1" * 16))
    for folder in (stale, fresh):
        folder.mkdir(parents=True)
    os.utime(stale, (OLD, OLD))
    with closing(LocalCache(cache / "actions", 1 << 30, print, OtherCaches(cache))):
        pass
    assert stale.exists()
    put(cache, b"content")
    assert not stale.exists()
    assert fresh.exists()


def test_programs_of_the_emulated_device_that_are_not_used_go(cache: Path) -> None:
    trees = [cache / "emulator" / key for key in (KEY, "1" * 16, "2" * 16)]
    for tree in trees:
        make(tree / "install" / "shell", 1000)
        make(tree.with_suffix(".state") / "steps" / "a.json", 10)
        make(tree.with_suffix(".lock"), 0, old=tree != trees[2])
    store = LocalCache(cache / "actions", 0, print).store
    with locked(trees[1].with_suffix(".lock")):
        os.utime(trees[1].with_suffix(".lock"), (OLD, OLD))
        freed = gc(store, 0, OtherCaches(cache))
    assert freed["emulator"] == (1, 1010)
    assert [tree.exists() for tree in trees] == [False, True, True]
    assert not trees[0].with_suffix(".state").exists()
