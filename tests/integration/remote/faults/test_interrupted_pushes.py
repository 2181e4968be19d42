"""A push that is interrupted leaves the device with whole releases, and the next one goes on."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.deploy.contents import deployment
from buildtool.release.slices import Release
from tests.conftest import LONG
from tests.integration.remote.faults.conftest import BOTH, Line
from tests.remote.client import Task, start
from tests.remote.remote import processes_with

TIMES = 100 if LONG else 6
SIZE = 40_000
COUNT = 25


def releases(line: Line, directory: Path, size: int = SIZE) -> tuple[Release, Release]:
    """Two releases of COUNT * `size` bytes that have nothing but small files in common."""
    chance = random.Random(1)
    first, second = (
        line.remote.release(
            directory / name,
            {
                **{f"lib/{index}": chance.randbytes(size) for index in range(COUNT)},
                **{f"same {index}": b"same" for index in range(5)},
            },
            {"link": f"lib/{index}"},
        )
        for index, name in enumerate(("first", "second"))
    )
    return first, second


def push_again(line: Line, release: Release) -> None:
    """The next push succeeds."""
    line.connect()
    line.remote.deploy(release)
    line.remote.assert_current(release)


@BOTH
def test_the_connection_is_cut(line: Line, tmp_path: Path) -> None:
    chance = random.Random(None if LONG else 2)
    first, second = releases(line, tmp_path)
    line.connect()
    line.remote.deploy(first)
    cuts = 0
    for number in range(TIMES):
        old, new = (first, second) if number % 2 == 0 else (second, first)
        if chance.random() < 0.3:
            line.remote.forget()
        line.remote.assert_current(old)
        # Each release must be sent anew: the other one is removed.
        remove_others(line, old)
        direction, size = chance.choice([("up", SIZE * COUNT), ("down", 3000)])
        line.proxy.cut(
            after=chance.randrange(1, size),
            direction="up" if direction == "up" else "down",
            reset=chance.random() < 0.5,
        )
        try:
            line.remote.deploy(new)
        except BuildtoolError:
            cuts += 1
        line.proxy.cut()  # if it was not yet
        wait_for_end(line)
        line.remote.assert_whole(first, second)
        push_again(line, new)
    assert cuts > TIMES // 4


def test_the_client_is_killed(line: Line, tmp_path: Path) -> None:
    chance = random.Random(None if LONG else 3)
    first, second = releases(line, tmp_path)
    line.connect()
    line.remote.deploy(first)
    kills = 0
    for number in range(TIMES):
        old, new = (first, second) if number % 2 == 0 else (second, first)
        remove_others(line, old)
        line.proxy.reset_traffic()
        process = start(Task(line.remote, [new]), tmp_path / "task", stdout=subprocess.DEVNULL)
        end = chance.randrange(SIZE * COUNT + 20_000)
        while line.proxy.traffic().up < end and process.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.random() * 0.02)
        kills += process.poll() is None
        process.kill()
        process.wait()
        wait_for_end(line)
        line.remote.assert_whole(first, second)
        push_again(line, new)
    assert kills > TIMES // 2


def test_the_next_push_goes_on(line: Line, tmp_path: Path) -> None:
    """It does not send again what has arrived: all but what was in the buffers on the way, which
    hold 2 MiB of ssh."""
    size = 10 * SIZE
    first, second = releases(line, tmp_path, size)
    line.connect()
    line.remote.deploy(first)
    line.proxy.cut(after=size * COUNT * 9 // 10)
    with pytest.raises(BuildtoolError):
        line.remote.deploy(second)
    wait_for_end(line)
    line.remote.assert_current(first)
    line.connect()
    line.proxy.reset_traffic()
    pushed = line.remote.deploy(second)
    line.remote.assert_current(second)
    assert size <= pushed.size < size * COUNT // 2
    assert line.proxy.traffic().up < size * COUNT // 2
    # What has arrived is also used for another release.
    third = line.remote.release(tmp_path / "third", {"large": os.urandom(SIZE), "more": b"3"})
    line.remote.deploy(third)
    line.remote.assert_current(third)


@pytest.mark.long
def test_the_device_starts_again_during_a_push(line: Line, tmp_path: Path) -> None:
    """The lock of the push before the start is not waited for."""
    first, second = releases(line, tmp_path)
    line.connect()
    line.remote.deploy(first)
    line.proxy.cut(after=SIZE * COUNT // 2)
    with pytest.raises(BuildtoolError):
        line.remote.deploy(second)
    wait_for_end(line)
    boot = "00000000-0000-0000-0000-000000000000"
    lock = line.remote.outside("lock")
    lock.unlink(missing_ok=True)  # a script that was killed has left it
    lock.symlink_to(f"{os.getpid()} 1 {boot} somebody")
    push_again(line, second)


def remove_others(line: Line, release: Release) -> None:
    """Remove all releases but one from the device, and what was there of others."""
    name = deployment(release, "").id
    for other in line.remote.releases - {name}:
        subprocess.run(["rm", "-rf", line.remote.outside(f"releases/{other}")], check=True)


def wait_for_end(line: Line) -> None:
    """Wait until no script of the project runs on the device."""
    end = time.monotonic() + 20
    while left := processes_with(line.remote.token):
        assert time.monotonic() < end, left
        time.sleep(0.01)
