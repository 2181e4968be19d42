"""A device is appended to `devices.toml`; what is there stays as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.deploy.add_device import (
    MAX_ATTACHED,
    Attached,
    append_device,
    attached_in,
    propose_name,
    propose_target,
    table_of,
)
from buildtool.deploy.configuration import ConfiguredDevice, DevicesError
from buildtool.deploy.facts import SystemFile
from buildtool.project.model import Target
from tests.unit.deploy.board_facts import BOARD

BOARD_DEVICE = ConfiguredDevice("ssh", "radxa@q6a.local", 2222, "board", "~/x", ("a", "b"))
TABLE = """[device.board]
transport = "ssh"
address = "radxa@q6a.local"
port = 2222
target = "board"
root = "~/x"
tags = ["a", "b"]
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    "before",
    ["", "# mine\n", "# mine", '[device.other] # "x"\ntransport = "adb"\naddress="1"\n\n# end\n'],
)
def test_the_table_is_appended(before: str, tmp_path: Path) -> None:
    file = tmp_path / "new" / "devices.toml"
    file.parent.mkdir()
    if before:
        file.write_text(before)
        file.chmod(0o600)

    append_device(file, "board", BOARD_DEVICE)

    text = file.read_text()
    assert text.startswith(before)
    assert text.endswith(TABLE)
    assert tomllib.loads(text)["device"]["board"]["tags"] == ["a", "b"]
    assert file.stat().st_mode & 0o777 == (0o600 if before else 0o644)


def test_a_new_file_has_a_new_directory(tmp_path: Path) -> None:
    append_device(tmp_path / "a" / "b" / "devices.toml", "board", BOARD_DEVICE)
    assert (tmp_path / "a" / "b" / "devices.toml").read_text() == TABLE


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "mine.toml").write_text("# mine\n")
    (tmp_path / "devices.toml").symlink_to("dotfiles/mine.toml")

    append_device(tmp_path / "devices.toml", "board", BOARD_DEVICE)

    assert (tmp_path / "devices.toml").is_symlink()
    assert (tmp_path / "dotfiles" / "mine.toml").read_text() == f"# mine\n\n{TABLE}"


@pytest.mark.parametrize(
    ("before", "name", "words"),
    [
        (TABLE, "board", "there is a device 'board' already"),
        ("", "a b", "'a b' is not a name"),
        ("", "sim", "cannot have another table at its end"),
        ('device = { x = { transport = "adb", address = "1" } }', "board", "cannot have another"),
    ],
)
def test_a_table_that_cannot_be_appended(
    before: str, name: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "devices.toml"
    file.write_text(before)
    with pytest.raises(UsageError, match=words):
        append_device(file, name, BOARD_DEVICE)
    assert file.read_text() == before


@pytest.mark.parametrize("before", ["[", "x = 1", "[device.x]\naddress = 1\n"])
def test_an_invalid_file_is_not_changed(before: str, tmp_path: Path) -> None:
    file = tmp_path / "devices.toml"
    file.write_text(before)
    with pytest.raises(DevicesError):
        append_device(file, "board", BOARD_DEVICE)
    assert file.read_text() == before


def test_a_name_with_a_dot_is_one_name() -> None:
    text = table_of("q6a.local", ConfiguredDevice("adb", "usb:1-2", adb_server="h:1"))
    assert tomllib.loads(text) == {
        "device": {
            "q6a.local": {"transport": "adb", "address": "usb:1-2", "adb-server": "h:1"},
        }
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("radxa@q6a.local", "q6a"),
        ("Pixel_9 Pro", "pixel-9-pro"),
        ("sim", "device"),
        ("[::1]", "1"),
        ("é", "device"),
        ("x" * 99, "x" * 40),
    ],
)
def test_names_of_devices(text: str, name: str) -> None:
    assert propose_name(text) == name


def test_the_target_with_the_newest_arch_that_fits_is_proposed() -> None:
    def target(*archs: str, platform: str = "ubuntu-aarch64", glibc: str = "2.35") -> Target:
        return Target(platform=platform, archs=archs, glibc=glibc)

    targets = {
        "sim": target("v68"),
        "old": target("v68"),
        "board": target("v68", "v73"),
        "new": target("v75"),
        "phone": target("v73", platform="android"),
        "glibc": target("v73", glibc="2.99"),
        "cpu": target(),
    }
    assert propose_target(BOARD, targets) == "board"
    assert propose_target(BOARD._replace(arch="v69"), targets) == "old"
    assert propose_target(BOARD._replace(arch="v69"), {"sim": targets["sim"]}) == "sim"
    rk3588 = BOARD._replace(arch="", cdsprpc=SystemFile())
    assert propose_target(rk3588, targets) == "cpu"
    assert propose_target(BOARD._replace(glibc="2.17"), targets) == ""


def test_devices_that_adb_lists() -> None:
    output = """* daemon started successfully
List of devices attached
1A2B3C4D               device usb:1-2 product:p model:Pixel_9 device:d transport_id:1
192.168.1.5:5555       offline transport_id:2
emulator-5554          unauthorized transport_id:3
\x1b[2J                device
garbage

"""
    assert attached_in(output) == [
        Attached("1A2B3C4D", "device", "Pixel_9"),
        Attached("192.168.1.5:5555", "offline", ""),
        Attached("emulator-5554", "unauthorized", ""),
    ]
    endless = "List of devices attached\n" + "x device\n" * 9999
    assert len(attached_in(endless)) <= MAX_ATTACHED
    assert attached_in("error") == []
