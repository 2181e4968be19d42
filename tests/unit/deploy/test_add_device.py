"""Names and targets that are proposed for devices, and the devices that adb lists."""

from __future__ import annotations

import pytest

from buildtool.deploy.check_device import (
    MAX_ATTACHED,
    Attached,
    attached_in,
    propose_name,
    propose_target,
)
from buildtool.device.facts import SystemFile
from buildtool.project.model import Target
from tests.unit.device.board_facts import BOARD


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
