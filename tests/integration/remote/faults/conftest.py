"""Devices behind a proxy."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.device.transports.ssh import Ssh
from buildtool.device.transports.ssh_socket import accepts
from tests.integration.remote.conformance.conftest import runtime_directory
from tests.remote.adbd import AdbServer
from tests.remote.boards import shared_socket
from tests.remote.places import adb_place, ssh_place
from tests.remote.proxy import Proxy
from tests.remote.remote import Remote

__all__ = ["runtime_directory"]


class Line:
    """A device, and the proxy on the way to it."""

    def __init__(self, remote: Remote, proxy: Proxy, adb: AdbServer | None = None) -> None:
        self.remote = remote
        self.proxy = proxy
        self.adb = adb

    def connect(self) -> None:
        """Connect anew, as buildtool does, when no connection is left."""
        transport = self.remote.device.transport
        if isinstance(transport, Ssh):
            end = time.monotonic() + 10
            while not self.proxy.traffic().open and accepts(shared_socket(self.remote.device)):
                assert time.monotonic() < end
                time.sleep(0.005)
        transport.connect()


BOTH = pytest.mark.parametrize("line", ["ssh", "adb"], indirect=True)
"""Run a test through adb in the short suite, too."""


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def line(
    request: pytest.FixtureRequest,
    runtime_directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Line]:
    """A device that is reached through a proxy of the test's own."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_directory))
    if request.param == "ssh":
        ssh = request.getfixturevalue("ssh_servers")("busybox")
        with Proxy(ssh.port) as proxy:
            client = ssh.make_client(tmp_path / f"client{secrets.token_hex(4)}", proxy.port)
            monkeypatch.setenv("PATH", client.environment["PATH"])
            yield Line(ssh_place(ssh, client, tmp_path / "state", "toybox"), proxy)
        return
    adb = request.getfixturevalue("adb_servers")("android")
    for name, value in adb.environment.items():
        monkeypatch.setenv(name, value)
    with Proxy(adb.ports[0], device=adb.device) as proxy:
        serial = adb.connect(proxy.port)
        yield Line(adb_place(adb, serial, tmp_path / "state", "toybox"), proxy, adb)
        adb.adb("disconnect", serial)
