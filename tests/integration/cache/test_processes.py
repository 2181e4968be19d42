"""The cache used by several processes at once, by killed ones, and on full disks."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.cache.index import Index
from buildtool.cache.maintenance import verify
from buildtool.cache.store import Store
from tests.command_line import REPOSITORY
from tests.integration.cache.programs import ACTIONS, SIZE
from tests.integration.mounts import mounted, needs_unshare, small_disk


def command(name: str, *arguments: object) -> list[str]:
    program = [sys.executable, "-m", "tests.integration.cache.programs", name]
    return [*program, *map(str, arguments)]


def start(name: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(name, *arguments),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def test_eight_processes_share_a_cache(tmp_path: Path) -> None:
    limit = ACTIONS * SIZE // 2
    processes = [start("share", tmp_path / "cache", limit, seed) for seed in range(8)]
    counts = [json.loads(end(process)) for process in processes]
    assert sum(one["put"] for one in counts) > ACTIONS  # some were put again after an eviction
    assert sum(one["got"] for one in counts) > ACTIONS
    store = Store(tmp_path / "cache")
    there = dict(store.items())
    assert sum(stored.size for stored in there.values()) <= limit
    counted = {row.item: row.stored.size for row in Index(store).rows()}
    assert there.keys() <= counted.keys()  # otherwise it would never be evicted
    assert list((tmp_path / "cache" / "tmp").iterdir()) == []
    assert verify(store).wrong == ()


@pytest.mark.long
def test_a_cache_that_is_cleared_all_the_time_is_shared_without_a_note(tmp_path: Path) -> None:
    upset = start("upset", tmp_path / "cache")
    assert upset.stdout
    assert upset.stdout.readline() == "begun\n"
    processes = [start("share", tmp_path / "cache", 1 << 30, seed) for seed in range(4)]
    counts = [json.loads(end(process)) for process in processes]
    (tmp_path / "done").touch()
    end(upset)
    # How much is there to get depends on how fast the other process clears.
    assert min(one["put"] + one["got"] for one in counts) > 10
    assert verify(Store(tmp_path / "cache")).wrong == ()


def test_a_killed_process_leaves_a_cache_that_verifies(tmp_path: Path) -> None:
    assert int(end(start("killed", tmp_path / "cache", 20, "fixed seed"))) > 10


@pytest.mark.long
def test_killed_processes_leave_a_cache_that_verifies(tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    assert int(end(start("killed", tmp_path / "cache", 800, seed))) > 500, seed


@needs_unshare
def test_a_full_disk_costs_a_note(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    assert mounted(small_disk(disk, "1m"), *command("full", disk)) == "ok\n"


@needs_unshare
def test_a_cache_on_a_read_only_disk_is_read(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    end(start("fill", cache))
    place = shlex.quote(str(cache))
    mount = f"mount --bind {place} {place} && mount -o remount,bind,ro {place}"
    assert mounted(mount, *command("read_only", cache)) == "ok\n"
