"""Commands and devices are killed at random moments; releases stay whole."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from buildtool.core.value import Value
from buildtool.deploy.contents import deployment
from buildtool.deploy.site import rollback
from buildtool.release.slices import Release
from buildtool.run.program import RunRequest
from tests.conftest import LONG
from tests.integration.remote.conformance.conftest import arm64_shell, runtime_directory
from tests.remote.adbd import AdbServer
from tests.remote.client import Task, start
from tests.remote.places import adb_place, emulated_place, ssh_place
from tests.remote.remote import SHELL, Remote, processes_with
from tests.remote.sshd import SshServer

__all__ = ["arm64_shell", "runtime_directory"]

TIMES = 100 if LONG else 4
SECONDS = 0.6
"""About as long as a command takes."""


class Victim(Value):
    """A project on a device, and what boots the device again, None if nothing can."""

    remote: Remote
    reboot: Callable[[], None] | None = None


@pytest.fixture(
    params=[
        pytest.param("emulated", marks=pytest.mark.long),
        "ssh",
        pytest.param("adb", marks=pytest.mark.long),
    ]
)
def victim(
    request: pytest.FixtureRequest,
    runtime_directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Victim]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_directory))
    state = tmp_path / "state"
    if request.param == "emulated":
        yield Victim(emulated_place(tmp_path, request.getfixturevalue("arm64_shell")))
    elif request.param == "ssh":
        with SshServer(tmp_path / "board", tools="busybox") as ssh:
            monkeypatch.setenv("PATH", ssh.client.environment["PATH"])
            yield Victim(ssh_place(ssh, ssh.client, state, "busybox"), ssh.reboot)
    else:
        with AdbServer(tmp_path / "phone", tools="android") as adb:
            for name, value in adb.environment.items():
                monkeypatch.setenv(name, value)

            def reboot() -> None:
                adb.reboot()
                end = time.monotonic() + 60  # until the adb server has noticed
                while adb.adb("-s", adb.serial, "shell", "echo up").stdout != "up\n":
                    assert time.monotonic() < end
                    adb.adb("connect", adb.serial)

            yield Victim(adb_place(adb, adb.serial, state, "android"), reboot)


def make_releases(remote: Remote, directory: Path, chance: random.Random) -> list[Release]:
    """Releases that share half of their files."""
    same = {f"same/{index}": chance.randbytes(20_000) for index in range(10)}
    return [
        remote.release(
            directory / f"release {number}",
            {
                **same,
                **{f"lib/{index}": chance.randbytes(30_000) for index in range(10)},
                "n": b"%d" % number,
            },
            {"link": f"lib/{number}"},
        )
        for number in range(5)
    ]


def test_kills_and_reboots(victim: Victim, tmp_path: Path) -> None:
    chance = random.Random(None if LONG else 4)
    remote = victim.remote
    releases = make_releases(remote, tmp_path, chance)
    remote.device.transport.connect()
    for release in releases[:3]:
        remote.deploy(release)
    done: list[str] = []
    try:
        for _ in range(TIMES):
            done.append(interrupt(victim, releases, chance, tmp_path))
            wait_for_end(remote)
            current = remote.assert_whole(*releases)
            assert current
            check_next_command(victim, releases, current.id, chance)
    finally:
        print(Counter(done), done[-3:])
    assert len(set(done)) > 1
    # Nothing is left of what was interrupted.
    last = remote.release(tmp_path / "last", {"n": b"last"})
    remote.deploy(last)
    remote.assert_current(last)
    assert {name for name in remote.releases if "." in name} == set()
    assert len(remote.releases) == remote.device.keep
    assert not remote.outside("lock").is_symlink()


def interrupt(
    victim: Victim, releases: list[Release], chance: random.Random, directory: Path
) -> str:
    """Interrupt a random command at a random moment; returns what was done to it."""
    remote = victim.remote
    if chance.random() < 0.3:
        remote.forget()
    release = chance.choice(releases)
    tasks = [
        Task(remote, [release]),
        Task(remote, [release, chance.choice(releases)]),
        Task(remote, [release], RunRequest((SHELL, "cat n"))),
        Task(remote, [], back=True),
    ]
    process = start(
        chance.choice(tasks), directory / "task", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        time.sleep(chance.random() * SECONDS)
        done = chance.choice(["client", "script", "scripts", *(["boot"] if victim.reboot else [])])
        if process.poll() is not None:
            done = "nothing"
        elif done == "client":
            process.kill()
        elif done == "boot":
            assert victim.reboot
            victim.reboot()
        else:
            kill_scripts(remote, process.pid, chance if done == "script" else None)
        try:
            messages = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert b"Traceback" not in messages, messages
    return done


def kill_scripts(remote: Remote, client: int, chance: random.Random | None) -> None:
    """Kill the processes of the project on the device, or one that is chosen at random."""
    found = [number for number in processes_with(remote.token) if number != client]
    for number in [chance.choice(found)] if chance and found else found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def check_next_command(
    victim: Victim, releases: list[Release], before: str, chance: random.Random
) -> None:
    """The next command succeeds; if that made another release current, going back succeeds."""
    remote = victim.remote
    remote.device.transport.connect()
    release = chance.choice(releases)
    name = deployment(release, "").id
    if chance.random() < 0.5:
        remote.deploy(release)
    else:
        ran = remote.shell(release, "cat n")
        assert (ran.status, ran.stdout) == (0, release.directory.joinpath("n").read_bytes())
    remote.assert_current(release)
    remote.assert_whole(*releases)
    if len(remote.releases) > 1 and chance.random() < 0.5 and name != before:
        assert rollback(remote.site())[0] == name
        assert remote.assert_whole(*releases)


def wait_for_end(remote: Remote) -> None:
    """Wait until no script of the project runs on the device."""
    end = time.monotonic() + 20
    while left := processes_with(remote.token):
        assert time.monotonic() < end, left
        time.sleep(0.01)
