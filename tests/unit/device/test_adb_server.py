"""Requests to adb servers."""

from __future__ import annotations

import errno
import socket
import threading
from pathlib import Path

import pytest

from buildtool.device.errors import DeviceError
from buildtool.device.transports.adb import Adb, AdbServer


def test_a_busy_server_a_stand_in_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client whose connection is not accepted at once waits, and does not fail."""
    monkeypatch.chdir(tmp_path)  # the path of a Unix socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.settimeout(20)
        listener.bind("server")
        listener.listen(0)
        fill(listener)
        answers: list[str] = []
        server = AdbServer(local=True, host="", port=0, path="server")
        client = threading.Thread(target=lambda: answers.append(server.ask("host:version").text))
        client.start()
        client.join(0.1)  # it would end here if it failed instead of waiting
        while client.is_alive():
            connection, _ = listener.accept()
            with connection:
                if connection.recv(100):
                    connection.sendall(b"OKAY00040029")
                    client.join()
    assert answers == ["0029"]


@pytest.mark.parametrize("answer", [b"", b"OKAY", b"OKAY000400"])
def test_a_server_a_stand_in_that_closes_the_connection_is_an_error(
    answer: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.settimeout(20)
        listener.bind("server")
        listener.listen()

        def serve() -> None:
            with listener.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ConnectionResetError, match="closed the connection"):
            AdbServer(local=True, host="", port=0, path="server").ask("host:version")
        thread.join()


DEVICE = "127.0.0.1:601"
MISSING = f"FAIL device '{DEVICE}' not found"
NO_REASON = (
    f"OKAY failed to connect to {DEVICE}"  # adb gives none while it notices a lost connection
)
REFUSED = f"OKAY failed to connect to '{DEVICE}': Connection refused"


def test_a_failed_connection_without_a_reason_from_a_stand_in_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = [NO_REASON, MISSING, f"OKAY connected to {DEVICE}", "OKAY device"]
    assert connect(["OKAY 0029", MISSING, *again], tmp_path, monkeypatch) == 6


def test_a_refused_connection_of_a_stand_in_is_an_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DeviceError, match=f"the adb server does not reach {DEVICE}"):
        connect(["OKAY 0029", MISSING, REFUSED], tmp_path, monkeypatch)


def connect(answers: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Connect to a device of an adb server that gives these answers; returns how many it gave."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ADB_SERVER_SOCKET", "localfilesystem:server")
    given = 0
    with socket.socket(socket.AF_UNIX) as listener:
        listener.settimeout(20)
        listener.bind("server")
        listener.listen()

        def serve() -> None:
            nonlocal given
            for answer in answers:
                status, _, text = answer.partition(" ")
                with listener.accept()[0] as connection:
                    connection.recv(100)
                    connection.sendall(f"{status}{len(text):04x}{text}".encode())
                    given += 1

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            Adb(program=Path("/usr/bin/adb"), serial=DEVICE).connect()
        finally:
            thread.join()
    return given


def fill(listener: socket.socket) -> None:
    """Connect clients that end at once, until no other one can connect."""
    full = False
    while not full:
        with socket.socket(socket.AF_UNIX) as client:
            client.setblocking(False)
            full = client.connect_ex(listener.getsockname()) == errno.EAGAIN
