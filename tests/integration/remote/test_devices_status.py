"""`buildtool devices` with a board, a phone and a device that is gone: live, and once."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from buildtool.device.configuration import user_file
from buildtool.device.device import Device
from buildtool.device.sharing import held_device
from tests.json_documents import validate
from tests.remote.adbd import AdbServer
from tests.remote.proxy import Proxy
from tests.remote.sshd import SshServer

COMMAND = [sys.executable, "-P", "-m", "buildtool", "devices"]
SECONDS = 20.0
ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
FREE = "board .*free", "phone .*free"
CURSOR = b"\x1b[?25h"


@pytest.fixture(autouse=True)
def devices(
    board: Device,
    phone: Device,
    adb_server: AdbServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Device:
    """The user's devices: a board, which is returned, a phone, and a board that is gone."""
    assert phone
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TERM", "xterm")
    user_file().parent.mkdir(parents=True)
    user_file().write_text(
        '[device.board]\ntransport = "ssh"\naddress = "board"\n'
        f'[device.phone]\ntransport = "adb"\naddress = "{adb_server.serial}"\n'
        '[device.gone]\ntransport = "ssh"\naddress = "board"\nport = 1\n'
    )
    return board


class Screen:
    """A live table on a terminal, and what was written there."""

    def __init__(self, cwd: Path, command: Sequence[str] = COMMAND) -> None:
        self.ours, theirs = os.openpty()
        termios.tcsetwinsize(self.ours, (24, 80))
        self.before = termios.tcgetattr(self.ours)
        self.written = b""
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *command], stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd
        )
        os.close(theirs)

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)

    def read(self, seconds: float = 0.2) -> bool:
        """Read what is written; False at the end."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.ours, 1 << 16)
        except OSError:  # nobody has the terminal any more
            return False
        self.written += data
        return bool(data)

    def until(self, *texts: str) -> None:
        """Wait until the last picture has `texts`, which are regular expressions."""
        end = time.monotonic() + SECONDS
        while not all(re.search(text.encode(), self.picture) for text in texts):
            assert time.monotonic() < end, self.picture
            assert self.read(), self.written

    @property
    def picture(self) -> bytes:
        return self.written.rpartition(b"\x1b[H")[2]

    def end(self) -> int:
        """Its exit status, and the terminal must be as it was."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None or select.select([self.ours], [], [], 0)[0]:
            assert time.monotonic() < end, self.written
            if not self.read():
                break
        status = self.process.wait(SECONDS)
        after = self.written.rpartition(LEAVE)
        assert self.written.count(ENTER) == self.written.count(LEAVE) == 1
        assert after[2] == b"", "something is left on the terminal"
        assert self.written.rfind(CURSOR) > self.written.rfind(b"\x1b[?25l")
        assert termios.tcgetattr(self.ours) == self.before
        assert self.written.rfind(b"\x1b[?7h") > self.written.rfind(b"\x1b[?7l")
        return status


@pytest.fixture
def screen(tmp_path: Path, devices: Device) -> Iterator[Screen]:
    assert devices
    with Screen(tmp_path) as found:
        yield found


def deploy(server: SshServer, project: str, id_: str) -> None:
    """Make a release of a project current, as a push does."""
    folder = server.device.home / "buildtool" / project
    (folder / "releases" / id_).mkdir(parents=True)
    (folder / "current").symlink_to(f"releases/{id_}")


def test_the_table_is_live_until_q_is_pressed(
    screen: Screen, devices: Device, ssh_server: SshServer
) -> None:
    screen.until(*FREE, "gone .*unreachable: ", "sim .*free", "q quits")
    assert b"release" in screen.picture
    with held_device(devices, "bin/my-project", print):
        screen.until("board .*in use by ")
    deploy(ssh_server, "table", "0123456789abcdef")
    screen.until("board .*free.* table 01234567 ")
    os.write(screen.ours, b"xq")
    assert screen.end() == 0


def test_the_table_follows_the_size_of_the_terminal(screen: Screen) -> None:
    screen.until(*FREE, "last test")
    termios.tcsetwinsize(screen.ours, (24, 40))
    end = time.monotonic() + SECONDS
    while b"last test" in screen.picture:
        assert time.monotonic() < end
        screen.read()
    assert not re.search(rb"[^\n]\x1b\[[KJ]", screen.picture[3:]), "the last letter is erased"
    screen.until("q quits")
    lines = re.sub(r"\x1b\[[KJ]", "", screen.picture.decode()).split("\r\n")
    assert max(map(len, lines)) <= 40
    os.write(screen.ours, b"q")
    assert screen.end() == 0


@pytest.mark.parametrize("how", ["ctrl-c", "SIGTERM", "SIGHUP", "at once"])
def test_the_terminal_is_as_it_was(how: str, screen: Screen) -> None:
    if how == "at once":  # while the devices are asked
        screen.until("asking")
    else:
        screen.until(*FREE)
    assert not termios.tcgetattr(screen.ours)[3] & termios.ECHO
    if how in ("ctrl-c", "at once"):
        os.write(screen.ours, b"\x03")
    else:
        screen.process.send_signal(getattr(signal, how))
    assert screen.end() == 130


def test_an_error_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    code = (
        "from buildtool.cli.devices.status import full_screen\n"
        "with full_screen() as screen:\n    screen.show('text'); raise RuntimeError('broken')\n"
    )
    screen = Screen(tmp_path, [sys.executable, "-c", code])
    with screen:
        end = time.monotonic() + SECONDS
        while b"broken" not in screen.written:
            assert time.monotonic() < end
            screen.read()
    assert screen.written.index(b"text") < screen.written.index(LEAVE)
    assert screen.written.index(LEAVE) < screen.written.index(b"RuntimeError")


def test_a_device_that_hangs_does_not_keep_the_others(
    devices: Device, ssh_server: SshServer, tmp_path: Path
) -> None:
    with Proxy(ssh_server.port) as proxy:
        proxy.stall()
        with user_file().open("a") as stream:
            stream.write(
                f'[device.slow]\ntransport = "ssh"\naddress = "board"\nport = {proxy.port}\n'
            )
        done = run("--json", cwd=tmp_path)
    rows = {row["name"]: row for row in json.loads(done.stdout)["devices"]}
    assert rows["board"]["state"] == rows["phone"]["state"] == "free"
    assert rows["slow"]["why"] == "no answer in 12 s"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, check=True, timeout=60
    )


def test_once_without_a_terminal(devices: Device, ssh_server: SshServer, tmp_path: Path) -> None:
    deploy(ssh_server, "once", "0011223344556677")
    deploy(ssh_server, "once+bench", "8811223344556677")
    with held_device(devices, "bin/my-project", print):
        text = run(cwd=tmp_path).stdout
        document = json.loads(run("--json", cwd=tmp_path).stdout)
    lines = text.splitlines()
    assert [line.split()[0] for line in lines] == ["device", "sim", "board", "phone", "gone"]
    assert "\x1b" not in text
    assert "once 00112233" in lines[2]
    validate("devices-status", document)
    rows = {row["name"]: row for row in document["devices"]}
    assert rows["board"]["state"] == "in-use"
    assert rows["board"]["holder"]["purpose"] == "bin/my-project"
    assert {"project": "once", "deployment": "0011223344556677"} in rows["board"]["releases"]
    assert "once+bench" not in str(rows)
    assert rows["phone"]["state"] == "free"
    assert rows["gone"]["state"] == "unreachable"
    assert rows["gone"]["why"] == "board accepts no ssh connections"


def test_asking_is_one_session(devices: Device, ssh_server: SshServer, tmp_path: Path) -> None:
    devices.transport.connect()
    before = ssh_server.log.read_text().count("Starting session")
    run(cwd=tmp_path)
    assert ssh_server.log.read_text().count("Starting session") == before + 1
