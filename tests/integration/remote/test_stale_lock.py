"""Processes that find a stale lock at the same time."""

from __future__ import annotations

import subprocess
from pathlib import Path

from buildtool.deploy.script import LOCK_SCRIPTS, script

PROCESSES, ROUNDS = 16, 8
CLIENT = """
until [ -e go ]; do :; done
take lock words || exit 0
echo "$$" >>taken
sleep 0.5 # a lock of a process that has ended would be stale
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
        for process in processes:
            assert process.wait(60) == 0
        (taken,) = (directory / "taken").read_text().split()
        assert (directory / "lock").readlink().name.startswith(f"{taken} ")
        assert not list(directory.glob("lock.*"))
