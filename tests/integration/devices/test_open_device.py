"""Devices of `devices.toml` are reached over ssh and adb, and their facts are read there."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from buildtool.device.configuration import open_device, user_file
from buildtool.device.device import Device
from buildtool.device.facts import Facts
from buildtool.device.known_facts import facts_of
from tests.remote.adbd import AdbServer
from tests.remote.sshd import SshServer
from tests.remote.tool_sets import EACH_TOOL_SET


@pytest.fixture(autouse=True)
def _own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def configured(
    text: str, environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> Device:
    """The device `it` of a `devices.toml`, for a user with this environment."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    user_file().parent.mkdir(parents=True)
    user_file().write_text(f"[device.it]\n{text}")
    return open_device("it", None)


def check(facts: Facts, root: Path) -> None:
    assert facts.machine == os.uname().machine
    assert facts.root == str(root)
    assert uuid.UUID(facts.boot)
    assert facts.unwritable == ""
    assert facts.links
    assert facts.executable
    assert "mkdir" in facts.tools


@pytest.mark.parametrize("ssh_server", EACH_TOOL_SET, indirect=True)
def test_facts_of_an_ssh_host(ssh_server: SshServer, monkeypatch: pytest.MonkeyPatch) -> None:
    client = ssh_server.client
    device = configured(
        f'transport = "ssh"\naddress = "{client.host}"\ntarget = "t"\ntags = ["lab"]\n',
        client.environment,
        monkeypatch,
    )

    assert (device.name, device.target, device.tags) == ("it", "t", ("lab",))
    before = {*ssh_server.device.home.iterdir()}  # other tests use the server, too
    facts = facts_of(device)

    check(facts, ssh_server.device.home / "buildtool")
    assert {*ssh_server.device.home.iterdir()} == before


@pytest.mark.parametrize("adb_server", EACH_TOOL_SET, indirect=True)
def test_facts_of_an_adb_device(adb_server: AdbServer, monkeypatch: pytest.MonkeyPatch) -> None:
    device = configured(
        f'transport = "adb"\naddress = "{adb_server.serial}"\nroot = "~/own"\n',
        adb_server.environment,
        monkeypatch,
    )

    check(facts_of(device), adb_server.device.home / "own")
