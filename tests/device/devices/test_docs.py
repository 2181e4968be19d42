"""The commands about boards and phones work as printed; emulated devices are behind the servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.device.configuration import SECTIONS
from buildtool.project.schema import file_schema
from tests.command_line import REPOSITORY, Buildtool
from tests.device.devices.emulated_board import emulated_board, emulated_phone
from tests.device.docs.test_docs import blocks, shell

DOC = REPOSITORY / "docs" / "devices.md"


@pytest.fixture
def commands(
    tmp_path: Path, buildtool: Buildtool, earlier_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], str]:
    """Runs commands in a project of the template, with a board and a phone; returns the output."""

    def run(script: str) -> str:
        root = tmp_path / "my-project"
        done = buildtool("init", "--template", "hvx", str(root), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        board, phone = emulated_board(tmp_path / "board"), emulated_phone(tmp_path / "phone")
        with board, phone:
            for name, value in phone.environment.items():
                monkeypatch.setenv(name, value)
            config = board.client.config
            hosts = config.read_text("utf-8").replace("Host board", "Host q6a dragon-q6a")
            config.write_text(hosts, "utf-8")
            monkeypatch.setenv("PATH", f"{board.client.bin}:{phone.environment['PATH']}")
            return shell(script, root)

    return run


def test_docs_about_devices(commands: Callable[[str], str]) -> None:
    printed = commands("\n".join(blocks(DOC.read_text(encoding="utf-8"), "shell")))

    table = '\n  [device.q6a]\n  transport = "ssh"\n  address = "q6a"\n  target = "sim"\n'
    assert table in printed
    assert "\nDSP         v68: libcdsprpc reports ARCH_VER 0x8d68\n" in printed
    assert "\nok the DSP answers: libcdsprpc reports ARCH_VER 0x8d68\n" in printed
    assert 'sysroot = "q6a" in a target' in printed


def test_docs_about_runs(commands: Callable[[str], str]) -> None:
    text = (REPOSITORY / "docs" / "deploy.md").read_text(encoding="utf-8")
    # rollback needs an earlier release
    first = "buildtool devices add q6a --ssh q6a\nbuildtool deploy q6a --build-type Debug"

    printed = commands("\n".join([first, *blocks(text, "shell")]))

    assert (
        printed.count("my-project: scale_add of 1024 and 1001 elements verified against the CPU")
        == 6
    )
    assert " here is port 5039 of q6a\n" in printed
    assert "is current again, instead of" in printed


def test_docs_about_captures(commands: Callable[[str], str]) -> None:
    text = (REPOSITORY / "docs" / "capture.md").read_text(encoding="utf-8")
    add = "buildtool devices add q6a --ssh q6a"
    on_a_board = "buildtool capture q6a -o board.zip\n"
    repeated = "buildtool run q6a --replay board.zip\nbuildtool run sim --replay board.zip"

    printed = commands("\n".join([add, *blocks(text, "shell"), on_a_board, repeated]))

    verified = "my-project: scale_add of 1024 and 1001 elements verified against the CPU"
    assert printed.count(verified) == 4
    assert "bundle of this failure" not in printed
    assert printed.count("/board.zip\n") == 1


def test_the_readme_s_board_and_phone(commands: Callable[[str], str]) -> None:
    first, second, third = blocks((REPOSITORY / "README.md").read_text("utf-8"), "shell")
    earlier = "buildtool deploy q6a --build-type Debug\n"

    printed = commands(f"{first}{second}{earlier}{third}")

    assert (
        printed.count("my-project: scale_add of 1024 and 1001 elements verified against the CPU")
        == 2
    )
    assert "is current again, instead of" in printed
    assert "ok the target 'sim' fits" in printed


def test_every_key_is_documented() -> None:
    text = DOC.read_text(encoding="utf-8")
    schema = file_schema("devices.toml", SECTIONS)
    for key in schema["properties"]["device"]["additionalProperties"]["properties"]:
        assert f"| `{key}` |" in text, key
