"""`buildtool cache` as a user runs it."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from buildtool.cache.local import LocalCache
from buildtool.cache.store import Item
from tests.command_line import Buildtool
from tests.integration.cache.programs import SIZE, key, put


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory with three actions, and entries of other caches."""
    directory = tmp_path / "a cache"
    monkeypatch.setenv("BUILDTOOL_CACHE", str(directory))
    monkeypatch.delenv("BUILDTOOL_CACHE_SIZE", raising=False)
    for name, size in {"zig/z": 3_000_000, "sysroots/sim": 2048, "mystery/sub": 5}.items():
        (directory / name).mkdir(parents=True)
        (directory / name / ("0" * 32)).write_bytes(b"x" * size)
    with closing(LocalCache(directory / "actions", 1 << 30, print)) as actions:
        for number in range(3):
            assert put(actions, number, tmp_path / "source")
    return directory


def test_stats(buildtool: Buildtool, cache: Path) -> None:
    shown = buildtool("cache", "stats", cwd=cache)
    assert shown.returncode == 0, shown.stderr
    rows = shown.stdout.splitlines()
    assert rows[0] == str(cache)
    assert rows[1].endswith("KiB          7 files  what steps made")
    assert rows[2:] == [
        "  mystery                  5 B           1 file  unknown, not counted",
        "  sysroots             2.0 KiB           1 file  from devices, not counted",
        "  zig                  2.9 MiB           1 file  compiled by zig",
        "  together             3.0 MiB  of at most 10.0 GiB",
    ]
    assert max(map(len, rows[1:])) < 80
    stats = json.loads(buildtool("cache", "stats", "--json", cwd=cache).stdout)
    assert stats["directory"] == str(cache)
    assert stats["limit"] == 10 << 30
    assert stats["documents"]["file_count"] == 4  # three actions and the list of path sets
    assert stats["blobs"] == {"file_count": 3, "bytes": 3 * SIZE}
    assert {"name": "zig", "file_count": 1, "bytes": 3_000_000} in stats["others"]
    stored = stats["documents"]["bytes"] + stats["blobs"]["bytes"]
    assert stats["bytes"] == stored + 3_000_000


def test_gc(buildtool: Buildtool, cache: Path) -> None:
    nothing = buildtool("cache", "gc", cwd=cache)
    assert nothing.stdout == "freed 0 B in 0 files\n"
    os.utime(cache / "zig", (1, 1))
    done = buildtool("cache", "gc", "--limit", "1M", "--json", cwd=cache)
    assert json.loads(done.stdout)["freed"] == [
        {"name": "actions", "file_count": 0, "bytes": 0},
        {"name": "zig", "file_count": 1, "bytes": 3_000_000},
    ]
    done = buildtool("cache", "gc", "--limit", "50K", "--json", cwd=cache)
    assert json.loads(done.stdout)["freed"][0]["bytes"] > 2 * SIZE
    left = json.loads(buildtool("cache", "stats", "--json", cwd=cache).stdout)
    assert left["blobs"] == {"file_count": 1, "bytes": SIZE}
    wrong = buildtool("cache", "gc", "--limit", "much", cwd=cache)
    assert wrong.returncode == 2
    assert "'much' is not a size" in wrong.stderr


def test_verify(buildtool: Buildtool, cache: Path) -> None:
    good = buildtool("cache", "verify", cwd=cache)
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("checked 7 files, ")
    assert good.stdout.endswith(": all good\n")
    document = LocalCache(cache / "actions", 1, print).store.path(Item("ac", key(1)))
    document.chmod(0o600)
    document.write_bytes(document.read_bytes()[:-1])
    bad = buildtool("cache", "verify", cwd=cache)
    assert (bad.returncode, bad.stderr) == (1, "")
    first, last = bad.stdout.splitlines()
    assert first == f"wrong, deleted: {document}"
    assert last.endswith(": 1 wrong")
    again = buildtool("cache", "verify", "--json", cwd=cache)
    assert again.returncode == 0
    assert json.loads(again.stdout)["wrong"] == []


def test_clear(buildtool: Buildtool, cache: Path) -> None:
    done = buildtool("cache", "clear", cwd=cache)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("KiB in 7 files\n")
    assert (cache / "zig" / "z" / ("0" * 32)).exists()
    everything = buildtool("cache", "clear", "--all", cwd=cache)
    assert everything.stdout.splitlines() == [
        "  actions                  0 B          0 files",
        "  zig                  2.9 MiB           1 file",
        "freed 2.9 MiB in 1 file",
    ]
    assert sorted(path.name for path in cache.iterdir()) == ["actions", "mystery", "sysroots"]


def test_a_cache_that_is_not_there_is_not_made(
    buildtool: Buildtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "none"))
    for verb in ("stats", "gc", "verify", "clear"):
        done = buildtool("cache", verb, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), verb
    assert not (tmp_path / "none").exists()


def test_an_invalid_size_is_reported(
    buildtool: Buildtool, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE_SIZE", "lots")
    done = buildtool("cache", "stats", cwd=cache)
    assert done.returncode == 2
    assert "BUILDTOOL_CACHE_SIZE: 'lots' is not a size" in done.stderr
