"""Why a script did not run over ssh, as an error."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from buildtool.core.processes.process import DEVNULL
from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceConnectionError
from tests.remote.boards import board_of
from tests.remote.proxy import Proxy
from tests.remote.sshd import HOST, SshClient, SshServer
from tests.remote.stops import when_made


def failure(board: Device) -> DeviceConnectionError:
    """The error of connecting, which is also that of a command that makes its own connection."""
    with pytest.raises(DeviceConnectionError) as connecting:
        board.transport.connect()
    with pytest.raises(DeviceConnectionError) as running:
        board.exec("true")
    assert running.value.message == connecting.value.message
    assert "ssh board" in connecting.value.remedy or "Check" in connecting.value.remedy
    return connecting.value


@pytest.mark.parametrize(
    ("settings", "message", "why"),
    [
        ("Port 1", "board accepts no ssh connections", "Connection refused"),
        ("HostName nosuch.invalid", "the address of board is not known", "nosuch.invalid"),
        ("HostKeyAlias other", "the host key of board is not known", "No ED25519 host key"),
        ("HostKeyAlias other\nStrictHostKeyChecking ask", "the host key of board is not known", ""),
        ("PubkeyAuthentication no", "board refuses the login", "Permission denied (publickey)"),
        ("NoSuchOption yes", "ssh refuses its configuration", "nosuchoption"),
        ("ProxyJump nosuch.invalid", "the connection to board was closed before the login", ""),
    ],
)
def test_why_there_is_no_connection(
    settings: str,
    message: str,
    why: str,
    client: SshClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    error = failure(board_of(client, monkeypatch, "Host board", settings))
    assert error.message == message
    assert why in error.why


def test_a_proxy_command_that_ends_at_once(
    client: SshClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ssh prints nothing if the command ends before ssh has written: which is first, is chance."""
    board = board_of(client, monkeypatch, "Host board", "ProxyCommand false")
    whys = set()
    for _ in range(10):
        with pytest.raises(DeviceConnectionError, match="was closed before the login") as error:
            board.transport.connect()
        whys.add(error.value.why)
    assert whys <= {
        "kex_exchange_identification: Connection closed by remote host",
        "ssh ended with status 255 and without a message",
    }


def test_a_changed_host_key_is_refused(board: Device, tmp_path: Path) -> None:
    known_hosts = tmp_path / "client" / "known_hosts"
    public = subprocess.run(
        ["ssh-keygen", "-y", "-f", tmp_path / "client" / "user_key"],
        capture_output=True,
        text=True,
        check=True,
    )
    known_hosts.write_text(f"{HOST} {public.stdout}")
    error = failure(board)
    assert error.message == "board has another host key than before"
    assert "ssh-keygen -R" in error.remedy


@pytest.mark.parametrize("reset", [True, False])
def test_a_cut_line_is_an_error(
    reset: bool, ssh_server: SshServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Proxy(ssh_server.port) as proxy:
        board = board_of(ssh_server.make_client(tmp_path / "client", proxy.port), monkeypatch)
        connects: tuple[Callable[[], None], ...] = (board.transport.connect, lambda: None)
        for connect in connects:
            connect()
            begun = tmp_path / "begun"
            with (
                when_made(begun, partial(proxy.cut, reset=reset)),
                pytest.raises(DeviceConnectionError, match="was interrupted"),
            ):
                board.exec(f"touch '{begun}'; sleep 20")
            begun.unlink()


def test_a_killed_ssh_is_an_error(board: Device) -> None:
    board.transport.connect()
    with conversation(board.transport, "sleep 20", {}, stdin=DEVNULL) as talk:
        os.kill(talk.process.pid, signal.SIGKILL)
        assert talk.wait(time.monotonic() + 5)
        with pytest.raises(DeviceConnectionError, match="signal 9 ended ssh"):
            talk.report()


def test_a_killed_shell_on_the_device_is_an_error(board: Device) -> None:
    board.transport.connect()
    with pytest.raises(DeviceConnectionError, match="when a signal ends sh on the device"):
        board.exec("kill -9 $$")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("echo This account is currently not available. >&2; exit 1", "cannot run commands"),
        ("echo rbash: exec: restricted >&2; exit 1", "cannot run commands"),
        ("echo bash: exec: sh: not found >&2; exit 127", "cannot start sh"),
        ("echo Welcome; exit 3", "ended with status 3"),
    ],
)
def test_a_login_shell_that_runs_no_scripts_a_stand_in_is_an_error(
    program: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = tmp_path / "shell"
    shell.write_text(f"#!/bin/sh\n{program}\n")
    shell.chmod(0o755)
    with SshServer(tmp_path / "server", shell=str(shell)) as server:
        board = board_of(server.client, monkeypatch)
        board.transport.connect()
        with pytest.raises(DeviceConnectionError, match=message):
            board.exec("true")


def test_a_script_that_takes_too_long_is_an_error(board: Device) -> None:
    board.transport.connect()
    with pytest.raises(DeviceConnectionError, match=r"did not answer in 0\.5 s"):
        board.exec("sleep 20", timeout=0.5)
    assert board.exec("echo hi").stdout == b"hi\n"
