"""Processes that find a stale lock at the same time."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from buildtool.device.script import LOCK_SCRIPTS, script

PROCESSES, ROUNDS = 16, 8
CLIENT = """
until [ -e go ]; do :; done
take lock words || exit 0
echo "$$" >>taken
until [ -e end ]; do sleep 0.02; done # a lock of a process that has ended would be stale
"""


def test_one_of_many_processes_replaces_a_stale_lock(tmp_path: Path) -> None:
    for number in range(ROUNDS):
        directory = tmp_path / str(number)
        directory.mkdir()
        (directory / "lock").symlink_to("999999 1 another-boot words")
        processes = [
            subprocess.Popen(["sh", "-c", f"{script(*LOCK_SCRIPTS)}\n{CLIENT}"], cwd=directory)
            for _ in range(PROCESSES)
        ]
        (directory / "go").touch()
        end = time.monotonic() + 60
        while sum(process.poll() is None for process in processes) > len(holders(directory)):
            assert time.monotonic() < end
            time.sleep(0.01)
        (directory / "end").touch()
        assert [process.wait(60) for process in processes] == [0] * PROCESSES
        (taken,) = holders(directory)
        assert (directory / "lock").readlink().name.startswith(f"{taken} ")
        assert not list(directory.glob("lock.*"))


def holders(directory: Path) -> list[str]:
    """The processes that have taken the lock."""
    taken = directory / "taken"
    return taken.read_text().split() if taken.exists() else []
