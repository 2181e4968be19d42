"""The table of `buildtool devices` in terminals of several widths."""

from __future__ import annotations

import time

import pytest

from buildtool.cli.devices.status import DeviceRow, table_text
from buildtool.device.sharing import Holder
from buildtool.device.status import DeviceStatus, LastRun

DEPLOYED = {"htp-ops": "0123456789abcdef", "other": "fedcba9876543210"}

WIDE = r"""
device  transport  state                          SoC      arch  release   last test
sim     emulated   free                           QCS6490  v68   -         -
q6a     ssh        free                           QCS6490  v68   01234567  2 of 4 failed, 1 min ago
phone   adb        in use by ann@laptop: bin/app  SM8650   v75   -         4 passed, 3 days ago
gone    ssh        unreachable: \x1b[2Jaway       -        -     -         -
new     ssh        asking …                       -        -     -         -
"""
MEDIUM = r"""
device  state                  SoC      arch  release   last test
sim     free                   QCS6490  v68   -         -
q6a     free                   QCS6490  v68   01234567  2 of 4 failed, 1 min ago
phone   in use by ann@laptop…  SM8650   v75   -         4 passed, 3 days ago
gone    unreachable: \x1b[2J…  -        -     -         -
new     asking …               -        -     -         -
"""
NARROW = r"""
device  state                   release
sim     free                    -
q6a     free                    01234567
phone   in use by ann@laptop:…  -
gone    unreachable: \x1b[2Ja…  -
new     asking …                -
"""


def rows() -> list[DeviceRow]:
    now = time.time()
    free = DeviceStatus(None, DEPLOYED)
    used = DeviceStatus(Holder("ann@laptop", "bin/app", None), {})
    failed, passed = LastRun("p", 4, 2, now - 60), LastRun("p", 4, 0, now - 3 * 86400)
    return [
        DeviceRow("sim", "emulated", "QCS6490", "v68", state="free"),
        DeviceRow("q6a", "ssh", "QCS6490", "v68", failed, "free", "", free),
        DeviceRow("phone", "adb", "SM8650", "v75", passed, "in-use", "", used),
        DeviceRow("gone", "ssh", state="unreachable", why="\x1b[2Jaway"),
        DeviceRow("new", "ssh"),
    ]


@pytest.mark.parametrize(("width", "text"), [(200, WIDE), (80, MEDIUM), (40, NARROW), (0, WIDE)])
def test_the_table_fits_the_width(width: int, text: str) -> None:
    assert table_text(rows(), "htp-ops", width) == text.strip("\n")


@pytest.mark.parametrize("width", [1, 10, 40, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = table_text(rows(), "", width).splitlines()
    assert len(lines) == 6
    assert max(map(len, lines)) <= width


def test_without_a_project_the_newest_release_is_shown_with_its_project() -> None:
    assert "  htp-ops 01234567 and 1 more  " in table_text(rows(), "")
