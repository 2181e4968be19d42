"""The commands in docs/devices.md work as printed; the emulated device is behind the ssh server."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.deploy.configuration import SECTIONS
from buildtool.project.schema import file_schema
from tests.command_line import REPOSITORY
from tests.device.devices.emulated_board import emulated_board
from tests.device.docs.test_docs import blocks, shell
from tests.remote.adbd import AdbServer

DOC = REPOSITORY / "docs" / "devices.md"


def test_the_commands_work(
    project: Path, tmp_path: Path, adb_server: AdbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = DOC.read_text(encoding="utf-8")
    for name, value in adb_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with emulated_board(tmp_path / "board") as board:
        config = board.client.config
        config.write_text(config.read_text("utf-8").replace("Host board", "Host q6a"), "utf-8")
        monkeypatch.setenv("PATH", f"{board.client.bin}:{adb_server.environment['PATH']}")

        printed = shell("\n".join(blocks(text, "shell")), project)

    table = '\n  [device.q6a]\n  transport = "ssh"\n  address = "q6a"\n  target = "sim"\n'
    assert table in printed
    assert "\nDSP         v68: libcdsprpc reports ARCH_VER 0x8d68\n" in printed
    assert "\nok the DSP answers: libcdsprpc reports ARCH_VER 0x8d68\n" in printed
    assert 'sysroot = "q6a" in a target' in printed


def test_every_key_is_documented() -> None:
    text = DOC.read_text(encoding="utf-8")
    schema = file_schema("devices.toml", SECTIONS)
    for key in schema["properties"]["device"]["additionalProperties"]["properties"]:
        assert f"| `{key}` |" in text, key
