"""The phone that tests reach over adb, as a device of buildtool."""

from __future__ import annotations

import pytest

from buildtool.device.device import Device
from buildtool.device.transports.adb import adb_device
from tests.remote.adbd import AdbServer


def phone_of(
    server: AdbServer, monkeypatch: pytest.MonkeyPatch, serial: str = "", run_as: str = ""
) -> Device:
    """The device of `server`, the first one unless `serial` names another."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    transport = adb_device(serial or server.serial, run_as=run_as)
    return Device(name="phone", target="phone", root=transport.root, transport=transport)
