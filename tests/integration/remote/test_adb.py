"""Scripts run on devices over adb."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings

from buildtool.core.processes.process import DEVNULL, PIPE
from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.transports.adb import Adb
from buildtool.device.transports.adb import AdbServer as Server
from tests.remote.adbd import AdbServer
from tests.remote.phones import phone_of
from tests.remote.scripts import ARGUMENTS, assert_arguments_arrive
from tests.remote.tool_sets import EACH_TOOL_SET


@pytest.mark.parametrize("adb_server", EACH_TOOL_SET, indirect=True)
def test_statuses_and_streams_arrive(phone: Device) -> None:
    phone.transport.connect()
    for status in (0, 1, 2, 126, 127, 128, 137, 254, 255):
        done = phone.exec(f"printf out; printf err >&2; exit {status}")
        assert (done.status, done.stdout, done.stderr) == (status, b"out", "err")


def test_data_arrive_unchanged_in_both_directions(phone: Device, tmp_path: Path) -> None:
    data = os.urandom(5_000_000) + bytes(range(256)) + b"\r\n\0\n~.\n"
    (tmp_path / "data").write_bytes(data)
    with (tmp_path / "data").open("rb") as stream:
        assert phone.exec("cat", stdin=stream.fileno()).stdout == data


def test_much_output_arrives(phone: Device) -> None:
    assert len(phone.exec("head -c 20000000 /dev/zero").stdout) == 20_000_000


@pytest.mark.parametrize("adb_server", ["coreutils", "busybox"], indirect=True)
def test_arguments_arrive(phone: Device) -> None:
    @settings(max_examples=15)
    @given(ARGUMENTS)
    def arrive(arguments: list[str]) -> None:
        assert_arguments_arrive(phone, arguments)

    arrive()


@pytest.mark.parametrize("terminal", ["", "xterm-256color"])
def test_the_longest_script_runs_and_a_longer_one_is_refused(
    terminal: str, phone: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", terminal)
    longest = 0xFFFF - len(f"shell,v2,TERM={terminal},raw:")

    def run(size: int) -> bytes:
        command = phone.transport.command("echo hi #".ljust(size, "x"))
        return subprocess.run(command, stdin=DEVNULL, stdout=PIPE, check=True).stdout

    assert run(longest) == b"hi\n"
    with pytest.raises(DeviceError, match="too long"):
        run(longest + 1)


def test_a_script_gets_a_terminal(phone: Device) -> None:
    seen: list[bytes] = []
    with conversation(
        phone.transport,
        'tty; stty size >/dev/null; printf "%sexit 7\\n%s" "$mark" "$mark"',
        {},
        stdin=PIPE,
        terminal=True,
        on_messages=seen.append,
    ) as talk:
        assert talk.wait(time.monotonic() + 10)
        assert talk.report().text.strip() == "7"
    assert b"/dev/pts/" in b"".join(seen)


RUN_AS = """#!/bin/sh
[ "$1" = com.example.app ] || { echo "run-as: unknown package: $1" >&2; exit 1; }
shift
cd "$(dirname "$0")" || exit
HOME=$PWD exec "$@"
"""


def test_scripts_run_as_an_app_with_a_stand_in_of_run_as(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AdbServer(tmp_path / "server", tools="posix") as server:
        phone = phone_of(server, monkeypatch, run_as="com.example.app")
        with pytest.raises(DeviceError, match=r"cannot run commands as com\.example\.app"):
            phone.exec("true")
        program = Path(server.device.path) / "run-as"
        program.write_text(RUN_AS)
        program.chmod(0o755)
        done = phone.exec('echo "$HOME" "$1"; exit 3', arguments=["a 'b'\n\\"])
        assert (done.status, done.stdout) == (3, f"{program.parent} a 'b'\n\\\n".encode())
        assert phone.root == "$HOME/buildtool"
        other = phone_of(server, monkeypatch, run_as="com.example.other")
        with pytest.raises(DeviceError, match=r"does not run commands as com\.example\.other"):
            other.exec("true")


def test_connecting_starts_no_process(
    adb_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport = phone_of(adb_server, monkeypatch).transport
    assert isinstance(transport, Adb)
    transport._replace(program=Path("/nonexistent")).connect()


def test_a_device_in_the_network_is_connected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AdbServer(tmp_path / "server", count=2) as server:
        phone = phone_of(server, monkeypatch, server.serials[1])
        server.adb("disconnect")
        phone.transport.connect()
        assert phone.exec("echo $ADBD_PORT").stdout == f"{server.ports[1]}\n".encode()


def test_a_server_that_ends_while_it_is_asked_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AdbServer(tmp_path / "server") as server:
        phone = phone_of(server, monkeypatch)
        started = Adb._start
        starts = []

        def start(transport: Adb, place: Server) -> None:
            started(transport, place)
            starts.append(place)
            if len(starts) == 1:
                server.kill_server()

        monkeypatch.setattr(Adb, "_start", start)
        phone.transport.connect()
        assert len(starts) == 2
        assert phone.exec("echo hi").stdout == b"hi\n"


START = """
import sys
from buildtool.device.transports.adb import adb_device
adb_device(sys.argv[1]).connect()
print("connected")
"""


def test_a_server_that_is_started_stays_and_keeps_no_stream_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AdbServer(tmp_path / "server") as server:
        phone = phone_of(server, monkeypatch)
        server.kill_server()
        done = subprocess.run(
            [sys.executable, "-c", START, server.serial],
            stdout=PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=20,
            check=False,
        )
        assert done.stdout == "connected\n"
        # Another server would not be connected.
        assert phone.exec("echo hi").stdout == b"hi\n"
