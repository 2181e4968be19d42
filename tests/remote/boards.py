"""The board that tests reach over ssh, as a device of buildtool."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from buildtool.device.device import Device
from buildtool.device.transports.ssh import Ssh, ssh_device
from buildtool.device.transports.ssh_socket import accepts, socket_path
from tests.remote.sshd import HOST, SshClient, SshServer


def board_of(client: SshClient, monkeypatch: pytest.MonkeyPatch, *settings: str) -> Device:
    """The device that `client` reaches, with more lines in its configuration."""
    monkeypatch.setenv("PATH", client.environment["PATH"])
    if settings:
        text = client.config.read_text()
        client.config.write_text("\n".join([*settings, text]))
    transport = ssh_device(client.host)
    return Device(name="board", target="sim", root=transport.root, transport=transport)


def ssh_of(device: Device) -> Ssh:
    assert isinstance(device.transport, Ssh)
    return device.transport


def shared_socket(device: Device) -> Path:
    transport = ssh_of(device)
    return socket_path(str(transport.program), transport.host, transport.port)


def logins(server: SshServer) -> int:
    return server.log.read_text().count("Accepted publickey")


def master(device: Device) -> int:
    """The process that holds the connection."""
    done = subprocess.run(
        ["ssh", "-S", shared_socket(device), "-O", "check", HOST],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stderr.partition("pid=")[2].partition(")")[0])


def end_connections(directory: Path) -> None:
    """End the connections whose sockets are below `directory`; some may be ending by themselves."""
    end = time.monotonic() + 20
    for path in directory.glob("buildtool/*"):
        while accepts(path):
            assert time.monotonic() < end, path
            ending = ["ssh", "-S", str(path), "-O", "exit", "x"]
            subprocess.run(ending, capture_output=True, check=False)
