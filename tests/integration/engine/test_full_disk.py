"""A full disk causes an error, or a note if only the cache is on it; later builds are right."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from tests.conftest import LONG
from tests.integration.engine.full_disk import BASE, COMPONENT, EDITED, digest
from tests.integration.engine.scratch import Scratch
from tests.integration.mounts import mounted, needs_unshare, small_disk

ROOMS = [0, 150_000]
if LONG:
    ROOMS = [random.randrange(1 << random.randrange(12, 22)) for _ in range(60)]


def rows(what: str, tmp_path: Path, rooms: list[int]) -> list[tuple[int, str, int, str, str, bool]]:
    disk = tmp_path / "disk"
    disk.mkdir()
    program = [sys.executable, "-m", "tests.integration.engine.full_disk", what, str(disk)]
    output = mounted(
        small_disk(disk, "64m"), *program, *map(str, rooms), seconds=60 + 15 * len(rooms)
    )
    return [(*row,) for row in json.loads(output)]


@needs_unshare
def test_a_project_on_a_full_disk(tmp_path: Path, scratch: Scratch) -> None:
    right = {one is BASE: digest(scratch(one, COMPONENT).result()) for one in (BASE, EDITED)}
    failed = 0
    for room, row in zip(ROOMS, rows("project", tmp_path, ROOMS), strict=True):
        status, output, then, afterwards, made, base = row
        where = f"with {room} bytes free: {output}"
        assert status in (0, 1), where
        assert "Traceback" not in output, where
        if status:
            failed += 1
            assert "error: " in output, where
            assert "no space left" in output.lower() or "disk is full" in output.lower(), where
            assert f"{tmp_path}/disk/" in output, where
            assert "standard output" not in output, where  # which is not on the full disk
        assert then == 0, f"{where}, then: {afterwards}"
        assert made == right[base], where
    assert failed


@needs_unshare
def test_a_cache_on_a_full_disk(tmp_path: Path, scratch: Scratch) -> None:
    right = {one is BASE: digest(scratch(one, COMPONENT).result()) for one in (BASE, EDITED)}
    rooms = ROOMS if LONG else [0]
    for room, row in zip(rooms, rows("cache", tmp_path, rooms), strict=True):
        status, output, then, afterwards, made, base = row
        assert status == 0, f"with {room} bytes free: {output}"
        assert room or "the cache cannot be written: No space left on device" in output
        assert (then, made) == (0, right[base]), f"with {room} bytes free: {output}{afterwards}"
