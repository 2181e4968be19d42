"""Capability cards of the emulated device, and targets that require something of them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from buildtool.device.card import keep_card, read_card
from buildtool.measure.probe.probe import probe_project
from tests.caches import SLOW, share
from tests.command_line import REPOSITORY
from tests.json_documents import validate
from tests.project import Project
from tests.standins.fixtures import MakeNdk


@pytest.fixture
def user(tmp_path: Path, earlier_builds: Path) -> Project:
    """The user of a directory without a project."""
    return Project(tmp_path, earlier_builds)


def card_of(user: Project, soc: str) -> dict[str, Any]:
    """The card of sim as this SoC, on which everything is as it is claimed."""
    done = user.run("probe", "sim", "--soc", soc, "--json")
    assert done.returncode == 0, done.stderr
    card: dict[str, Any] = json.loads(done.stdout)
    validate("probe", card)
    return card


# QCS6490 and SM8550 differ in arch and VTCM, SM8635 has no HMX, SM8750 another format of floats.
@pytest.mark.parametrize(
    ("soc", "arch", "vtcm", "hmx"),
    [
        ("QCS6490", 68, 2, "ok"),
        pytest.param("SM8550", 73, 8, "ok", marks=pytest.mark.long),
        pytest.param("SM8635", 73, 2, "absent", marks=pytest.mark.long),
        pytest.param("SM8650", 75, 8, "ok", marks=pytest.mark.long),
        ("SM8750", 79, 8, "ok"),
    ],
)
def test_cards_differ_where_socs_do(
    user: Project, soc: str, arch: int, vtcm: int, hmx: str
) -> None:
    card = card_of(user, soc)
    rows = {row["name"]: row for row in card["capabilities"]}

    assert (card["ok"], card["soc"]) == (True, soc)
    assert (rows["arch"]["value"], rows["arch"]["claimed"]) == (arch, f"v{arch}")
    assert (rows["vtcm"]["value"], rows["vtcm"]["claimed"]) == (vtcm, f"{vtcm} MiB")
    assert rows["hmx"]["state"] == hmx
    works = {name for name, row in rows.items() if row["state"] == "ok"}
    assert works >= {"hvx-integer", "hvx-float", "zero-copy", "unmap", "dspqueue", "sessions"}
    assert not {"latency", "bandwidth", "clock"} & {*rows}  # times on sim mean nothing


def test_a_card_for_people_and_in_a_file(user: Project) -> None:
    done = user.run("probe", "--soc", "SM8635", "-o", "card of it.json")

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    documented = (REPOSITORY / "docs/probe.md").read_text(encoding="utf-8").split("```")[3]
    assert lines[:-1] == documented.strip().splitlines()[:-1]
    assert lines[-1] == "card: card of it.json"
    assert max(map(len, lines)) <= 80
    card = json.loads((user.root / "card of it.json").read_text(encoding="utf-8"))
    assert (card["soc"], card["ok"]) == ("SM8635", True)


def test_a_terminal_shows_which_check_runs(
    user: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    user.succeeds("probe", "sim")  # so that nothing is built below
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", "probe", "sim"],
        cwd=tmp_path,
        env={**os.environ, **user.environment},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # at the end nobody has the terminal any more
            while data := os.read(ours, 4096):
                shown += data
    os.close(ours)
    assert process.returncode == 0
    *lines, last = shown.decode().split("\r\x1b[K")
    assert any(re.fullmatch(r"  probing sim \d+ s  \d of 9: [a-z-]+", line) for line in lines)
    assert last == "", "the live line is left behind"


FILE = """
[project]
name = "needs"

[host.needs]
source = "host"

[target.sim]
platform = "ubuntu-aarch64"
requires = ["hvx-float", "vtcm >= 8 MiB", "arch >= v73"]
"""
TESTS = """
[test.seven]
program = "bin/needs"

[expected-failure.large]
tests = ["seven"]
reason = "it needs much VTCM"
requires = ["vtcm >= 64 MiB"]
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(needs LANGUAGES C)
add_executable(needs needs.c)
install(TARGETS needs)
"""


def test_what_a_target_requires_is_on_the_card(user: Project) -> None:
    user.write("buildtool.toml", FILE)
    user.write("host/CMakeLists.txt", CMAKE)
    user.write("host/needs.c", "int main(void) { return 7; }\n")
    user.cache = share(user.root / "cache", (*SLOW, "emulator"))  # without cards
    done = user.run("run", "sim")
    assert done.returncode == 125
    assert "error: there is no capability card of sim" in done.stderr
    assert "→ buildtool probe sim --soc QCS6490. To run nevertheless: --force." in done.stderr

    for soc in ("QCS6490", "SM8550"):
        card_of(user, soc)
    done = user.run("run", "sim")
    assert done.returncode == 125
    assert "sim does not have what the target 'sim' requires" in done.stderr
    assert "vtcm >= 8 MiB: 2 of 2 MiB acquired and right; was zero" in done.stderr
    assert "arch >= v73: v68; v69 is refused: 0x80000406" in done.stderr
    assert "→ Use another device, or change `requires`. To run nevertheless" in done.stderr
    assert user.run("run", "sim", "--soc", "SM8550").returncode == 7
    assert user.run("run", "sim", "--force").returncode == 7

    user.write("buildtool.toml", FILE + TESTS)
    done = user.run("test", "--on", "sim:SM8550,sim:QCS6490", "--markdown", "out")
    assert done.returncode == 0, done.stderr
    text = (user.root / "out" / "matrix.md").read_text()
    assert "| [1 not supported](logs/sim-SM8550/test.log) |\n" in text
    assert "| [not supported](logs/sim-QCS6490/device.log) |\n" in text
    assert "- sim:SM8550, 1 test: it needs much VTCM\n" in text
    assert "- sim:QCS6490, all tests: sim does not have what the target 'sim' requires: " in text
    user.edit("buildtool.toml", '["vtcm >= 64 MiB"]', '["vtcm >= 8 MiB"]')
    assert user.run("test", "sim", "--soc", "SM8550").returncode == 1

    user.edit("buildtool.toml", '"hvx-float"', '"latency <= 50 us"')
    done = user.run("run", "sim", "--soc", "SM8550")
    assert "latency <= 50 us: the card has no latency" in done.stderr

    file = user.cache / "devices/card-sm8550.json"
    card = read_card(file)
    assert card
    keep_card(file, card._replace(shell=card.shell._replace(sha256="0" * 64)))
    done = user.run("run", "sim", "--soc", "SM8550")
    assert done.returncode == 125
    assert "error: the capability card of sim is out of date" in done.stderr
    assert "→ buildtool probe sim --soc SM8550. To run nevertheless: --force." in done.stderr

    # A damaged card is none.
    file.write_text("x" + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert "there is no capability card" in user.run("run", "sim", "--soc", "SM8550").stderr


def test_the_program_for_android_builds_with_a_stand_in_ndk(
    user: Project, stand_in_ndk: MakeNdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(stand_in_ndk("r27")))
    project = Project(probe_project().root, user.cache)

    assert "bin/device-probe" in project.succeeds("build", "android")
