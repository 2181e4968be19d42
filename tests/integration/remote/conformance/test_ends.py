"""Programs end when buildtool is asked to end, and nothing of them is left on any device."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from buildtool.release.slices import Release
from buildtool.run import run as run_module
from buildtool.run.program import RunRequest
from buildtool.run.run import RunTimeoutError
from tests.integration.remote.conformance.conftest import (
    ANDROID,
    BUSYBOX,
    PROGRAMS,
    TOYBOX,
    short_on,
)
from tests.remote.client import INTERRUPTED, Task, start
from tests.remote.remote import SHELL, Remote

TRAP = "trap 'echo {0}; exit 8' {0}; "
CHILDREN = "sleep 1000 & (sleep 1001 & sleep 1002) & "
WAIT = "echo begun; while :; do sleep 0.02; done"


@pytest.fixture
def release(remote: Remote, tmp_path: Path) -> Release:
    """A release that is current on the device."""
    release = remote.release(tmp_path / "release", {})
    remote.deploy(release)
    return release


def begun(
    remote: Remote, release: Release, directory: Path, script: str, *, late_watcher: bool = False
) -> subprocess.Popen[bytes]:
    """A process that runs `script` on the device, which has printed `begun`."""
    task = Task(remote, [release], RunRequest((SHELL, script)), late_watcher=late_watcher)
    process = start(task, directory / "task", stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"begun\n"
    return process


@PROGRAMS
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long), signal.SIGHUP]
)
def test_signals_to_buildtool_interrupt_the_program(
    remote: Remote, release: Release, tmp_path: Path, number: signal.Signals
) -> None:
    script = CHILDREN + TRAP.format("INT") + WAIT
    with begun(remote, release, tmp_path, script) as process:
        process.send_signal(number)
        assert process.communicate(timeout=20)[0] == b"INT\n"
        assert process.returncode == INTERRUPTED


@short_on(BUSYBOX, ANDROID)
def test_an_interrupt_before_anybody_attends_to_the_program(
    remote: Remote, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program has begun, and can still end itself."""
    attend = run_module._Run._attend

    def late(*arguments: Any) -> None:
        deadline = time.monotonic() + 20
        while not remote.outside("begun").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
        attend(*arguments)

    monkeypatch.setattr(run_module._Run, "_attend", late)
    with pytest.raises(KeyboardInterrupt):
        remote.shell(release, "trap 'echo >../../ended; exit 8' INT; echo >../../begun; " + WAIT)
    assert remote.outside("ended").exists()


@short_on(BUSYBOX)
def test_a_program_that_ignores_ctrl_c_is_killed(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    with begun(remote, release, tmp_path, CHILDREN + "trap '' INT TERM HUP; " + WAIT) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == INTERRUPTED


@PROGRAMS
def test_nothing_is_left_when_buildtool_is_killed(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    with begun(remote, release, tmp_path, CHILDREN + "trap '' INT TERM HUP; " + WAIT) as process:
        process.kill()  # the fixture looks for processes that are left


@PROGRAMS
def test_nothing_is_left_when_buildtool_is_killed_as_the_program_begins(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    """On a busy machine, what kills the program may have had no turn by then."""
    with begun(remote, release, tmp_path, WAIT, late_watcher=True) as process:
        process.kill()


@short_on(BUSYBOX, ANDROID)
def test_timeouts(remote: Remote, release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunTimeoutError, match=r"did not end in 0\.5 s"):
        remote.shell(release, CHILDREN + TRAP.format("TERM") + WAIT, timeout=0.5)
    monkeypatch.setattr(run_module, "GRACE_SECONDS", 0.5)
    begin = time.monotonic()
    with pytest.raises(RunTimeoutError):
        remote.shell(release, CHILDREN + "trap '' TERM INT; " + WAIT, timeout=0.3)
    assert 0.8 <= time.monotonic() - begin < 10
    assert remote.shell(release, "exit 3", timeout=20).status == 3


@short_on(TOYBOX)
def test_a_program_runs_on_while_releases_are_pushed(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    """Its release is kept as long as it runs, whatever is pushed."""
    script = "trap 'cat run.sh | wc -l; pwd; exit 8' INT; " + WAIT
    with begun(remote, release, tmp_path, script) as process:
        name = remote.outside("current").readlink().name
        newer = [remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in range(4)]
        for other in newer:
            remote.deploy(other)
        assert name in remote.releases
        assert len(remote.releases) == 4
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=20)[0].decode()
        lines = len((release.directory / "run.sh").read_text().splitlines())
        assert output.split(None, 1)[0] == str(lines)
        assert output.rstrip().endswith(f"{remote.project}/releases/{name}")
    remote.deploy(release)
    remote.assert_current(release)
    remote.deploy(newer[0])
    remote.deploy(newer[1])
    last = remote.release(tmp_path / "last", {"n": b"last"})
    remote.deploy(last)
    assert name not in remote.releases
    assert len(remote.releases) == 3
    remote.assert_whole(*newer, last)
