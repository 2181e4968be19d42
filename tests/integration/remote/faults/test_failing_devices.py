"""Devices whose disk is full, and connections that end while programs run."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from buildtool.core.errors import NOT_RUN
from buildtool.deploy.contents import DataFile, deployment
from buildtool.deploy.data import send_data
from buildtool.deploy.push import Pushed
from buildtool.deploy.site import rollback
from buildtool.device.errors import DeviceError
from buildtool.device.script import ScriptReport
from buildtool.device.sharing import held_device, holder_of
from buildtool.release.slices import Release
from buildtool.run.program import RunRequest
from buildtool.run.run import start_on_device
from buildtool.run.session import new_run
from tests.integration.remote.faults.conftest import Line
from tests.remote.adbd import AdbServer
from tests.remote.client import Task, start
from tests.remote.device_root import DeviceRoot
from tests.remote.places import adb_place, local_place, ssh_place
from tests.remote.releases import digest_of
from tests.remote.remote import SHELL, Remote, processes_with
from tests.remote.sshd import SshServer
from tests.remote.tool_sets import Tools

PAGE = 4096
RUNS = "trap '' INT TERM HUP; sleep 1000 & echo begun; while :; do sleep 0.02; done"


@pytest.fixture
def phone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Remote, AdbServer]]:
    """A phone of the test's own, with a small disk."""
    with AdbServer(tmp_path / "phone", tools="android", disk="8m") as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield adb_place(server, server.serial, tmp_path / "state", "android"), server


@pytest.fixture
def board_itself(tmp_path: Path) -> Iterator[Remote]:
    """This machine as a device, with a small disk."""
    with DeviceRoot(tmp_path / "board", disk="8m") as board:
        yield local_place(board, tmp_path / "state", "coreutils", "/data/local/tmp/buildtool")


@pytest.mark.parametrize("place", ["phone", "board_itself"])
def test_the_disk_of_the_device_is_full(
    place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    found = request.getfixturevalue(place)
    remote = found if isinstance(found, Remote) else found[0]
    first = remote.release(tmp_path / "1", {"n": b"1", "data": os.urandom(2 << 20)})
    second = remote.release(
        tmp_path / "2", {f"data {index}": os.urandom(1 << 20) for index in range(5)}
    )
    remote.deploy(first)
    filler = remote.outside("filler")
    filler.write_bytes(bytes(3 << 20))
    for _ in range(2):
        with pytest.raises(DeviceError, match="cannot take the release") as error:
            remote.deploy(second)
        assert "No space left" in str(error.value.why)
        assert "Make room" in error.value.remedy
        remote.assert_current(first)
        remote.assert_whole(first, second)
    filler.unlink()
    assert remote.deploy(second).size < 4 << 20  # the rest
    remote.assert_current(second)
    assert remote.shell(first, "cat n").stdout == b"1"


@pytest.mark.parametrize(
    "command",
    [
        "run",
        pytest.param("test", marks=pytest.mark.long),
        pytest.param("deploy", marks=pytest.mark.long),
        "data",
        pytest.param("lock", marks=pytest.mark.long),
    ],
)
def test_the_next_command_removes_what_fills_the_disk(
    command: str, phone: tuple[Remote, AdbServer], tmp_path: Path
) -> None:
    remote, _ = phone
    small = remote.release(tmp_path / "small", {"n": b"small"})
    large = remote.release(tmp_path / "large", {f"{n}": os.urandom(1 << 20) for n in range(9)})
    tiny = remote.release(tmp_path / "tiny", {"n": b"tiny"})
    other = remote._replace(project=f"{remote.project} of another", state=tmp_path / "other")
    remote.deploy(small)
    with pytest.raises(DeviceError, match="cannot take the release"):
        other.deploy(large)
    fill(remote)
    if command == "run":  # of a release that is there, and of one that is not
        assert remote.shell(small, "cat n").stdout == b"small"
        assert remote.shell(tiny, "cat n").stdout == b"tiny"
    elif command == "test":
        request = RunRequest((SHELL, "exit 3"))
        report = start_on_device(remote.site(), deployment(small, ""), request, new_run())
        assert report == ScriptReport("exit", "3")
    elif command == "deploy":
        remote.deploy(tiny)
        remote.assert_current(tiny)
    elif command == "data":
        model = tmp_path / "model"
        model.write_bytes(bytes(1 << 20))
        data = DataFile("data/model", model, digest_of(model), 1 << 20)
        send_data(remote.site(), [data])
        assert send_data(remote.site(), [data]) == Pushed()
    else:
        # The text of a lock is so long that the file system needs a page for it.
        with held_device(remote.device, "test " * 40, lambda _: None):
            assert holder_of(remote.device)
    assert other.releases == set()


@pytest.mark.parametrize(
    "pages",
    [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long), 3],
)
def test_a_program_that_cannot_be_started_has_no_exit_status(
    pages: int, phone: tuple[Remote, AdbServer], tmp_path: Path
) -> None:
    remote, _ = phone
    release = remote.release(tmp_path / "1", {"n": b"1"})
    remote.deploy(release)
    fill(remote, pages)
    for stdin in (None, b"input"):
        if pages < 2:
            with pytest.raises(DeviceError, match=r"could not be started[^$]*disk may be full"):
                remote.shell(release, "exit 7", stdin=stdin)
        else:
            assert remote.shell(release, "exit 7", stdin=stdin).status == 7
    assert not [*remote.outside("logs").iterdir()]


def test_rollback_and_deploy_again_on_a_full_disk(
    phone: tuple[Remote, AdbServer], tmp_path: Path
) -> None:
    """A rollback only replaces a link; a deployment also writes `history`."""
    remote, _ = phone
    releases = [remote.release(tmp_path / name, {"n": name.encode()}) for name in "abc"]
    ids = [deployment(release, "").id for release in releases]
    for release in releases:
        remote.deploy(release)
    history = remote.outside("history").read_text()
    fill(remote)
    assert rollback(remote.site()) == (ids[2], ids[1])
    remote.assert_current(releases[1])
    with pytest.raises(DeviceError, match="history cannot be written; the disk may be full"):
        remote.deploy(releases[0])
    remote.assert_current(releases[1])
    remote.assert_whole(*releases)
    assert remote.outside("history").read_text() == history
    remote.outside("filler").unlink()
    remote.deploy(releases[0])
    remote.assert_current(releases[0])
    assert rollback(remote.site()) == (ids[0], ids[2])


@pytest.mark.parametrize("store", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_disk_with_few_free_pages_keeps_releases_whole(
    store: bool, phone: tuple[Remote, AdbServer], tmp_path: Path
) -> None:
    """Each page that a push writes may be the one that the disk has no room for.

    The list of 600 links into the store needs eleven.
    """
    remote = phone[0]._replace(store=store)
    same = {f"lib/{number}": b"" for number in range(200)}
    releases = [remote.release(tmp_path / n, {**same, "lib/n": n.encode()}) for n in "abcdefgh"]
    for release in releases[:4]:
        remote.deploy(release)
    failed = 0
    for pages in range(14):
        fill(remote, pages)
        try:
            remote.deploy(releases[pages % len(releases)])
        except DeviceError:
            failed += 1
        deployed = remote.assert_whole(*releases)
        assert deployed
        assert remote.outside("history").read_text().splitlines()[0] == deployed.id
        remote.outside("filler").unlink()
    assert 0 < failed < 14


def fill(remote: Remote, pages: int = 0) -> None:
    """Let `pages` free pages be left on the disk of the device."""
    with remote.outside("filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(bytes(PAGE)):
            pass
    os.truncate(remote.outside("filler"), remote.outside("filler").stat().st_size - pages * PAGE)


@pytest.mark.long
def test_the_adb_server_is_killed_during_a_push(
    phone: tuple[Remote, AdbServer], tmp_path: Path
) -> None:
    remote, server = phone
    first = remote.release(tmp_path / "1", {"n": b"1"})
    second = remote.release(tmp_path / "2", {f"{n}": os.urandom(200_000) for n in range(15)})
    remote.deploy(first)
    for _ in range(3):
        process = start(
            Task(remote, [second]),
            tmp_path / "task",
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        with process:
            while process.poll() is None and not any(
                remote.outside("releases").glob("*.partial/?")
            ):
                time.sleep(0.001)
            server.kill_server()
            messages = process.communicate(timeout=30)[1]
        assert b"Traceback" not in messages
        wait_for_end(remote)
        remote.assert_whole(first, second)
        remote.device.transport.connect()
        remote.deploy(second)
        remote.assert_current(second)
        subprocess.run(["rm", "-rf", remote.outside(".")], check=True)
        remote.forget()
        remote.deploy(first)


@pytest.mark.long
def test_the_adb_server_is_killed_during_a_run(
    phone: tuple[Remote, AdbServer], tmp_path: Path
) -> None:
    remote, server = phone
    release = remote.release(tmp_path / "1", {})
    remote.deploy(release)
    with begun(remote, release, tmp_path) as process:
        server.kill_server()
        messages = process.communicate(timeout=30)[1].decode()
        assert process.returncode == NOT_RUN, messages
        assert messages.startswith("error: ")
    wait_for_end(remote)
    remote.device.transport.connect()
    assert remote.shell(release, "exit 3").status == 3


def test_the_connection_is_cut_during_a_run(line: Line, tmp_path: Path) -> None:
    remote = line.remote
    release = remote.release(tmp_path / "1", {})
    line.connect()
    remote.deploy(release)
    with begun(remote, release, tmp_path) as process:
        line.proxy.cut()
        messages = process.communicate(timeout=30)[1].decode()
        assert process.returncode == NOT_RUN, messages
        assert "interrupted" in messages
    wait_for_end(remote)  # the program ignores signals
    line.connect()
    assert remote.shell(release, "exit 3").status == 3


def test_a_death_by_signal_is_not_a_lost_connection(line: Line, tmp_path: Path) -> None:
    release = line.remote.release(tmp_path / "1", {})
    line.connect()
    line.remote.deploy(release)
    assert line.remote.shell(release, "kill -9 $$").status == 128 + signal.SIGKILL


def test_a_device_that_is_started_again_during_a_run(
    phone: tuple[Remote, AdbServer], tmp_path: Path
) -> None:
    remote, server = phone
    release = remote.release(tmp_path / "1", {})
    remote.deploy(release)
    with begun(remote, release, tmp_path) as process:
        for number in processes_with(remote.token):
            if number != process.pid and number in server.device.processes():
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        messages = process.communicate(timeout=30)[1].decode()
        assert process.returncode == NOT_RUN, messages
    assert remote.outside("logs").is_dir()
    # What the program used is removed with the next push, although it did not end by itself.
    for name in ("2", "3", "4", "5"):
        remote.deploy(remote.release(tmp_path / name, {"n": name.encode()}))
    assert len(remote.releases) == 3


@pytest.mark.long
def test_a_device_without_setsid(
    ssh_servers: Callable[[Tools], SshServer],
    runtime_directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_directory))
    server = ssh_servers("posix")
    monkeypatch.setenv("PATH", server.client.environment["PATH"])
    remote = ssh_place(server, server.client, tmp_path / "state", "toybox")
    release = remote.release(tmp_path / "1", {"n": b"1"})
    remote.deploy(release)
    remote.assert_current(release)
    with pytest.raises(DeviceError, match=r"could not be started[^$]*setsid"):
        remote.shell(release, "true")


def begun(remote: Remote, release: Release, directory: Path) -> subprocess.Popen[bytes]:
    task = Task(remote, [release], RunRequest((SHELL, RUNS)))
    process = start(task, directory / "task", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"begun\n"
    return process


def wait_for_end(remote: Remote) -> None:
    end = time.monotonic() + 20
    while left := processes_with(remote.token):
        assert time.monotonic() < end, left
        time.sleep(0.01)
