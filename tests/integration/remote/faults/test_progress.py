"""What a terminal shows while much is sent over a slow line, or downloaded."""

from __future__ import annotations

import io
import os
import re
import secrets
from pathlib import Path

import pytest

from buildtool.cli.screen import Screen
from buildtool.deploy.contents import deployment
from buildtool.deploy.site import make_current
from buildtool.sdk.download import download
from tests.integration.remote.faults.conftest import BOTH, Line
from tests.integration.sdk.file_server import serving
from tests.remote.data import data_file
from tests.remote.proxy import Proxy
from tests.unit.cli.terminal import Terminal

RATE = 4 << 20
SIZE = 12 << 20
FAR = r" [0-9]+ of 1[23] MB, [0-9.,]+ [kM]B/s, \d+ s left"


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")


def lines(terminal: io.StringIO) -> list[str]:
    """The texts of the live line, without the last one, which must be empty or a result."""
    *shown, last = terminal.getvalue().split("\r\x1b[K")
    assert not last or last.endswith("\n"), last
    return shown


@BOTH
def test_a_release_is_sent_over_a_slow_line(line: Line, tmp_path: Path) -> None:
    release = line.remote.release(tmp_path / "release", {"lib/a": secrets.token_bytes(SIZE)})
    line.connect()
    line.proxy.set_rate(RATE)
    terminal = Terminal()
    screen = Screen(quiet=True, stream=terminal, columns=lambda: 80)

    make_current(line.remote.site()._replace(listener=screen), deployment(release, ""))

    name = line.remote.device.name
    shown = lines(terminal)
    assert any(re.search(rf"^  sending to {name} \d+ s {FAR}$", text) for text in shown), shown
    assert max(map(len, shown)) < 80
    assert terminal.getvalue().endswith("\r\x1b[K"), "the live line is left behind"


def test_nothing_is_shown_elsewhere(line: Line, tmp_path: Path) -> None:
    release = line.remote.release(tmp_path / "release", {"lib/a": secrets.token_bytes(SIZE // 4)})
    line.connect()
    line.proxy.set_rate(RATE)
    file = io.StringIO()

    site = line.remote.site()._replace(listener=Screen(quiet=True, stream=file))
    make_current(site, deployment(release, ""))

    assert file.getvalue() == ""


def test_data_is_sent_over_a_slow_line(line: Line, tmp_path: Path) -> None:
    model = data_file(tmp_path / "model", SIZE)
    release = line.remote.release(tmp_path / "release", {"lib/a": b"a"})
    line.connect()
    line.proxy.set_rate(RATE)
    terminal = Terminal()
    screen = Screen(quiet=True, stream=terminal, columns=lambda: 80)

    wanted = deployment(release, "", (model,))
    make_current(line.remote.site()._replace(listener=screen), wanted)

    assert any(re.search(rf"{model.path} \d+ s {FAR}", text) for text in lines(terminal))


def test_a_download_over_a_slow_line(tmp_path: Path) -> None:
    terminal = Terminal()
    screen = Screen(quiet=True, stream=terminal, columns=lambda: 80)
    with serving(os.urandom(SIZE)) as server, Proxy(server.server_port) as proxy:
        proxy.set_rate(RATE)
        url = f"http://127.0.0.1:{proxy.port}/sdk.zip"
        download(url, tmp_path / "sdk.zip", "SDK 1", screen)

    assert (tmp_path / "sdk.zip").stat().st_size == SIZE
    assert any(re.search(rf"  SDK 1 \d+ s {FAR}", text) for text in lines(terminal))
    assert terminal.getvalue().splitlines()[-1].lstrip("\r\x1b[K").startswith("✓ SDK 1 ")
