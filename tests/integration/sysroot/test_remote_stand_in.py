"""Pulling over a shell gives what pulling from a directory gives, with the tools of any device.

The devices are stand-ins: directory trees, which a shell of this machine reads.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from buildtool.device.device import Device, ScriptOutput
from buildtool.device.facts import Facts
from buildtool.device.known_facts import facts_of
from buildtool.device.sysroot.device_files import PullError
from buildtool.device.sysroot.pull import pull
from buildtool.device.sysroot.source import RemoteFiles
from buildtool.sdk.sysroot import Sysroot
from tests.integration.devices.board_tree import stand_in
from tests.remote.tool_sets import EACH_TOOL_SET, Tools
from tests.standins.device import CROSS_LIBRARIES, MULTIARCH, make_board, make_phone

from .conftest import Pull


def pull_over(device: Device, facts: Facts, *, libc: bool = False) -> Sysroot:
    return pull(RemoteFiles(device, facts), "remote", libc=libc, waiting=lambda: None)[0]


@pytest.mark.parametrize("tools", EACH_TOOL_SET)
def test_a_stand_in_board_and_its_c_library(
    tools: Tools, tmp_path: Path, pull_from: Pull, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_board(tmp_path / "a board")
    for file in CROSS_LIBRARIES.iterdir():
        place = root / MULTIARCH / file.name
        if (
            file.is_file()
            and not place.exists()
            and re.match(r"libc[._]|libm[._]|S?crt|ld-", file.name)
        ):
            shutil.copyfile(file, place)
    script = root / MULTIARCH / "libc.so"
    script.write_text(
        script.read_text("utf-8").replace(f"{CROSS_LIBRARIES}/", f"/{MULTIARCH}/"), "utf-8"
    )
    include = root / "usr/include"
    (include / "sys").mkdir(parents=True)
    for number in range(50):
        (include / "sys" / f"a header {number}.h").write_text(f"{number}\n" * number)
    (include / "stdio.h").write_text("int puts(const char *);\n")
    (include / "link.h").symlink_to("/usr/include/sys/a header 7.h")
    (include / "dangling.h").symlink_to("nowhere")
    (include / "linux").symlink_to("sys")
    local, _ = pull_from(root, "local", libc=True)

    plain = stand_in(tmp_path, root, tools)
    files = RemoteFiles(plain, facts_of(plain))
    exchanges: list[str] = []
    exec_ = Device.exec

    def counted(*given: Any, **named: Any) -> ScriptOutput:
        exchanges.append("")
        return exec_(*given, **named)

    monkeypatch.setattr(Device, "exec", counted)
    remote, _ = pull(files, "remote", libc=True, waiting=lambda: None)

    assert remote.identity == local.identity
    assert remote.source == "it (the emulated device)"
    assert (remote.root / "usr/include/link.h").read_text() == "7\n" * 7
    assert len(exchanges) < 40  # far fewer than files


def test_a_stand_in_phone_whose_properties_only_getprop_tells(
    tmp_path: Path, pull_from: Pull
) -> None:
    root = make_phone(tmp_path / "phone")
    local, _ = pull_from(root, "local")
    for file in root.rglob("*.prop"):
        file.unlink()
    (root / "system" / "build.prop").write_text("")
    device = stand_in(tmp_path, root, "android")

    remote = pull_over(device, facts_of(device)._replace(soc="SM8650"))

    assert (remote.platform, remote.soc, remote.arch) == ("android", "SM8650", "v75")
    assert remote.exports == local.exports


def hostile(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RemoteFiles:
    """The files of a device that prints `text`; FENCE stands for what begins each part."""
    device = stand_in(tmp_path, tmp_path, "coreutils")
    files = RemoteFiles(device, facts_of(device))

    def exec_(
        _: Device, __: str, variables: dict[str, str], *___: object, **____: object
    ) -> ScriptOutput:
        return ScriptOutput(0, text.replace("FENCE", variables["fence"]).encode("latin-1"), "")

    monkeypatch.setattr(Device, "exec", exec_)
    return files


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\nFENCE end\n",
        "\nFENCE file\n",
        "\nFENCE file\n\nFENCE file\n\nFENCE end\nx\nFENCE",
        "\nFENCE name\na/b\nFENCE file\n\nFENCE end\n",
        "\nFENCE name\na\nFENCE name\nb\nFENCE end\n",
        "\nFENCE name\na\nFENCE end\n",
        "\nFENCE \xff\n\nFENCE end\n",
    ],
)
def test_a_hostile_stand_in_that_prints_something_else(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = hostile(text, tmp_path, monkeypatch)
    with pytest.raises(PullError, match="cannot be read"):
        files.entry("/usr")
    with pytest.raises(PullError, match="cannot be read"):
        files.read("/usr", 10)
    if text != "\nFENCE end\n":  # an empty directory
        with pytest.raises(PullError, match="cannot be read"):
            files.names("/usr")


def test_a_hostile_stand_in_with_a_file_that_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = hostile(f"\nFENCE content\n{'x' * 99}\nFENCE end\n", tmp_path, monkeypatch)
    with pytest.raises(PullError, match="is larger than"):
        files.read("/usr/lib/x", 98)
