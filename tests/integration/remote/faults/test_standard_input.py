"""Standard input arrives as a whole, or the run fails."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from buildtool.device.errors import DeviceConnectionError
from tests.conftest import LONG
from tests.remote.adbd import AdbServer
from tests.remote.device_root import DeviceRoot
from tests.remote.places import adb_place, ssh_place
from tests.remote.remote import Remote
from tests.remote.sshd import SshServer
from tests.remote.stops import when_made

Place = tuple[Remote, DeviceRoot]


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """A device of the test's own, whose tools it may replace."""
    with ExitStack() as stack:
        if request.param == "ssh":
            ssh = stack.enter_context(SshServer(tmp_path / "device", tools="busybox"))
            monkeypatch.setenv("PATH", ssh.client.environment["PATH"])
            yield ssh_place(ssh, ssh.client, tmp_path / "state", "busybox"), ssh.device
        else:
            adb = stack.enter_context(AdbServer(tmp_path / "device"))
            for name, value in adb.environment.items():
                monkeypatch.setenv(name, value)
            yield adb_place(adb, adb.serial, tmp_path / "state", "coreutils"), adb.device


def test_it_waits_for_a_slow_device_a_stand_in(place: Place, tmp_path: Path) -> None:
    """The device looks for the fifo 20 times before it is made."""
    remote, device = place
    release = remote.release(tmp_path / "release", {})
    remote.deploy(release)
    tries = tmp_path / "tries"
    tries.touch()
    device.put_tool("sleep", f"echo >>'{tries}'")
    device.put_tool(
        "mkfifo",
        f"until [ $(wc -l <'{tries}') -ge 20 ]; do :; done; exec /usr/bin/mkfifo \"$@\"",
    )
    ran = remote.shell(release, "cat", stdin=b"input\n" * 9999)
    assert (ran.status, ran.stdout) == (0, b"input\n" * 9999)


def test_a_program_need_not_read_it(place: Place, tmp_path: Path) -> None:
    """adbd drops output when it cannot pass on input: rarely, and on busy machines."""
    remote, _ = place
    release = remote.release(tmp_path / "release", {})
    remote.deploy(release)
    data = os.urandom(1 << 20)
    for _ in range(1000 if LONG else 5):
        ran = remote.shell(release, "exec echo end", stdin=data)
        assert (ran.status, ran.stdout) == (0, b"end\n")


def test_a_push_need_not_be_read(place: Place, tmp_path: Path) -> None:
    """The release has been pushed from another computer, which knows nothing of this one."""
    remote, _ = place
    other = remote._replace(state=tmp_path / "other state")
    other.state.mkdir()
    releases = [remote.release(tmp_path / n, {n: os.urandom(4 << 20)}) for n in ("1", "2")]
    for release in releases * (200 if LONG else 5):
        other.deploy(release)
        remote.deploy(release)


def test_a_connection_that_is_lost_is_an_error(place: Place, tmp_path: Path) -> None:
    """The program must not take the end of what has arrived for the end of the input."""
    remote, _ = place
    release = remote.release(tmp_path / "release", {})
    remote.deploy(release)
    begun = tmp_path / "begun"
    source, end = os.pipe()
    with os.fdopen(source), os.fdopen(end, "wb", buffering=0) as stream:
        stream.write(b"line\n")
        with (
            when_made(begun, lambda: os.kill(feeder(), signal.SIGKILL)),
            pytest.raises(DeviceConnectionError),
        ):
            remote.shell(release, f"read -r line && touch '{begun}'; cat", stdin=source)


def feeder() -> int:
    """The process of ssh or adb that sends the input."""
    main = threading.main_thread().native_id
    children = Path(f"/proc/self/task/{main}/children").read_text("utf-8")
    lines = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children.split()}
    (found,) = (child for child, line in lines.items() if b'cat >"$log/stdin"' in line)
    return found
