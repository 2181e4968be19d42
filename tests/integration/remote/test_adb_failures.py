"""Why a script did not run over adb, as an error."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.processes.process import DEVNULL
from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.device.transports.adb import adb_device
from tests.remote.adbd import AdbServer
from tests.remote.phones import phone_of
from tests.remote.proxy import Proxy
from tests.remote.stops import when_made


def test_why_there_is_no_connection(adb_server: AdbServer, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = phone_of(adb_server, monkeypatch, "1a2b3c")
    missing.transport.connect()
    with pytest.raises(DeviceConnectionError, match="1a2b3c is not connected"):
        missing.exec("true")
    for serial in ("127.0.0.1:9", "nosuch.invalid:5555"):
        with pytest.raises(DeviceConnectionError, match=f"does not reach {serial}"):
            phone_of(adb_server, monkeypatch, serial).transport.connect()


def test_a_server_that_does_not_answer_is_an_error(
    adb_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone_of(adb_server, monkeypatch)
    for address in ("127.0.0.1:9", "nosuch.invalid:5037"):
        transport = adb_device("1.2.3.4:5555", server=address)
        with pytest.raises(DeviceConnectionError, match="there is no adb server"):
            transport.connect()
        phone = Device(name="phone", target="phone", root=transport.root, transport=transport)
        with pytest.raises(DeviceConnectionError, match="there is no adb server"):
            phone.exec("true")


def test_a_server_of_another_version_a_stand_in_is_not_stopped(
    adb_server: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = phone_of(adb_server, monkeypatch)
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(tmp_path)
        listener.bind("server")
        listener.listen()
        monkeypatch.setenv("ADB_SERVER_SOCKET", "localfilesystem:server")

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                assert connection.recv(100) == b"000chost:version"
                connection.sendall(b"OKAY00040028")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DeviceError, match=r"the server has version 40, .* version 41"):
            phone.transport.connect()
        thread.join()


def interrupted(phone: Device, begun: Path, cause: Callable[[], object]) -> None:
    """`cause` interrupts a script that has made the file `begun`."""
    with when_made(begun, cause), pytest.raises(DeviceConnectionError, match="was interrupted"):
        phone.exec(f"touch '{begun}'; sleep 20")
    begun.unlink()


def connected(phone: Device) -> None:
    """Connect anew.  The server tells the client before it notes that the device is gone."""
    end = time.monotonic() + 10
    while True:
        phone.transport.connect()
        try:
            assert phone.exec("echo hi").stdout == b"hi\n"
        except DeviceConnectionError:
            assert time.monotonic() < end
        else:
            return


@pytest.mark.parametrize("reset", [True, False])
def test_a_cut_line_is_an_error(
    reset: bool, adb_server: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Proxy(adb_server.ports[0], device=adb_server.device) as proxy:
        phone = phone_of(adb_server, monkeypatch, f"127.0.0.1:{proxy.port}")
        for _ in range(2):
            connected(phone)
            interrupted(phone, tmp_path / "begun", lambda: proxy.cut(reset=reset))
        adb_server.adb("disconnect", f"127.0.0.1:{proxy.port}")


def test_what_ends_in_the_middle_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    with AdbServer(tmp_path / "server") as server:
        phone = phone_of(server, monkeypatch)
        interrupted(phone, begun, lambda: server.adb("disconnect"))
        connected(phone)
        interrupted(phone, begun, server.kill_server)
        connected(phone)
        adbd = next(p for p, line in server.device.processes().items() if "/adbd" in line)
        interrupted(phone, begun, lambda: os.kill(adbd, signal.SIGKILL))
        end = time.monotonic() + 10
        while server.adb("-s", server.serial, "get-state").stdout == "device\n":
            assert time.monotonic() < end
        with pytest.raises(DeviceConnectionError, match="does not reach"):
            phone.transport.connect()


def test_a_killed_adb_is_an_error(phone: Device) -> None:
    with conversation(phone.transport, "sleep 20", {}, stdin=DEVNULL) as talk:
        os.kill(talk.process.pid, signal.SIGKILL)
        assert talk.wait(time.monotonic() + 5)
        with pytest.raises(DeviceConnectionError, match="signal 9 ended adb"):
            talk.report()


def test_a_script_that_takes_too_long_is_an_error(phone: Device) -> None:
    with pytest.raises(DeviceConnectionError, match=r"did not answer in 0\.5 s"):
        phone.exec("sleep 20", timeout=0.5)
    assert phone.exec("echo hi").stdout == b"hi\n"
