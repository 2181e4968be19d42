"""Fixtures of devices that buildtool's transports reach."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.device.device import Device
from tests.remote.adbd import AdbServer
from tests.remote.boards import board_of, end_connections
from tests.remote.phones import phone_of
from tests.remote.sshd import SshClient, SshServer


@pytest.fixture(autouse=True)
def runtime_directory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory for sockets whose path is short; at the end ssh ends its connections there."""
    with tempfile.TemporaryDirectory(prefix="ssh-") as directory:
        monkeypatch.setenv("XDG_RUNTIME_DIR", directory)
        yield Path(directory)
        end_connections(Path(directory))


@pytest.fixture
def client(ssh_server: SshServer, tmp_path: Path) -> SshClient:
    """A client of `ssh_server`, with a configuration that the test may change."""
    return ssh_server.make_client(tmp_path / "client")


@pytest.fixture
def board(client: SshClient, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The device that `client` reaches."""
    return board_of(client, monkeypatch)


@pytest.fixture
def phone(adb_server: AdbServer, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The first device of `adb_server`."""
    return phone_of(adb_server, monkeypatch)
