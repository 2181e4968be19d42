"""`buildtool devices` over ssh and adb; the emulated device is behind the ssh server."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Buildtool
from tests.device.devices.emulated_board import emulated_board, system_of
from tests.json_documents import validate
from tests.remote.adbd import AdbServer
from tests.remote.sshd import SshServer


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with emulated_board(tmp_path_factory.mktemp("board")) as server:
        yield server


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the user's devices."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "buildtool" / "devices.toml"


@pytest.fixture
def ssh_user(board: SshServer, user: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", board.client.environment["PATH"])
    return user


def printed(name: str, output: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(output)
    validate(name, document)
    return document


def test_a_board_is_added_listed_and_checked(
    ssh_user: Path, project: Path, board: SshServer, buildtool: Buildtool
) -> None:
    added = buildtool("devices", "add", "--ssh", "board", "--json", cwd=project)
    assert added.returncode == 0, added.stderr
    document = printed("devices-add", added.stdout)
    assert document["facts"]["arch"] == "v68"
    assert document["facts"]["soc"] == "QCS6490"
    row = {"transport": "ssh", "address": "board", "target": "sim", "root": "", "tags": []}
    assert document["device"] == {"name": "board", "file": str(ssh_user), **row}
    table = {"transport": "ssh", "address": "board", "target": "sim"}
    assert tomllib.loads(ssh_user.read_text(encoding="utf-8")) == {"device": {"board": table}}

    rows = printed("devices-list", buildtool("devices", "list", "--json", cwd=project).stdout)
    assert [each["name"] for each in rows["devices"]] == ["sim", "board"]
    assert rows["devices"][1] == document["device"]
    lines = buildtool("devices", "list", cwd=project.parent).stdout.splitlines()
    assert lines == ["sim    emulated, target sim", "board  ssh board, target sim"]

    facts = printed(
        "devices-facts", buildtool("devices", "facts", "board", "--json", cwd=project).stdout
    )
    home = board.device.home
    assert {key: facts[key] for key in ("device", "root")} == {
        "device": "board",
        "root": f"{home}/buildtool",
    }
    text = buildtool("devices", "facts", "board", cwd=project).stdout
    assert "DSP         v68: libcdsprpc reports ARCH_VER 0x8d68" in text

    checked = buildtool("devices", "check", "board", "--json", cwd=project)
    assert checked.returncode == 0, checked.stdout
    assert printed("devices-check", checked.stdout)["ok"]
    words = buildtool("devices", "check", "board", cwd=project).stdout
    assert "ok the target 'sim' fits" in words

    completed = buildtool("__complete", "bash", "devices", "facts", "", cwd=project)
    assert completed.stdout.split() == ["words", "sim", "board"]


def test_a_name_is_given_once(
    ssh_user: Path, project: Path, board: SshServer, buildtool: Buildtool
) -> None:
    ssh_user.parent.mkdir(parents=True)
    ssh_user.write_text(
        '# mine\n[device.old]\ntransport = "adb"\naddress = "1"\n', encoding="utf-8"
    )
    text = ssh_user.read_text(encoding="utf-8")
    for name in ("old", "sim", "a/b"):
        refused = buildtool("devices", "add", name, "--ssh", "board", cwd=project)
        assert refused.returncode == 2, refused.stderr
        assert ssh_user.read_text(encoding="utf-8") == text

    port = ("--port", str(board.port))
    added = buildtool("devices", "add", "new", "--ssh", "board", "--project", *port, cwd=project)
    assert added.returncode == 0, added.stderr
    assert ssh_user.read_text(encoding="utf-8") == text
    table = (project / "devices.toml").read_text()
    assert "[device.new]" in table
    assert f"port = {board.port}\n" in table
    assert "/devices.toml\n" in (project / ".gitignore").read_text()
    assert f"added to {project / 'devices.toml'}:" in added.stdout


def test_what_is_wrong_on_a_board_has_remedies(
    ssh_user: Path, project: Path, buildtool: Buildtool
) -> None:
    ssh_user.parent.mkdir(parents=True)
    table = '[device.it]\ntransport = "ssh"\naddress = "board"\n'
    ssh_user.write_text(f'{table}root = "/proc/self/x"\ntarget = "phone"\n', encoding="utf-8")
    with (project / "buildtool.toml").open("a") as stream:
        stream.write('[target.phone]\nplatform = "android"\narchs = ["v75"]\n')

    checked = buildtool("devices", "check", "it", "--json", cwd=project)

    assert checked.returncode == 1
    document = printed("devices-check", checked.stdout)
    wrong = [found["what"] for found in document["findings"] if not found["ok"]]
    assert document["target"] == "phone"
    assert any("cannot be installed in /proc/self/x" in what for what in wrong)
    assert any("is for android, the device runs ubuntu-aarch64" in what for what in wrong)
    text = buildtool("devices", "check", "it", cwd=project).stdout
    assert text.count("\n  → ") == len(wrong)


@pytest.mark.long
def test_a_fault_of_the_dsp_of_a_stand_in_is_named(
    ssh_user: Path, project: Path, board: SshServer, buildtool: Buildtool
) -> None:
    added = buildtool("devices", "add", "--ssh", "board", cwd=project)
    assert added.returncode == 0, added.stderr
    cdsp = system_of(board) / "sys/class/remoteproc/remoteproc1"
    cdsp.mkdir(parents=True)
    for name, text in {"name": "cdsp", "state": "offline", "firmware": "qcom/cdsp.mbn"}.items():
        (cdsp / name).write_text(f"{text}\n")
    try:
        checked = buildtool("devices", "check", "board", "--json", cwd=project)
        outside = buildtool("devices", "check", "board", cwd=project.parent)
    finally:
        shutil.rmtree(cdsp.parents[2])
    assert checked.returncode == outside.returncode == 1
    document = printed("devices-check", checked.stdout)
    (wrong,) = (found for found in document["findings"] if not found["ok"])
    assert wrong["name"] == "firmware-missing"
    assert "Install the package with the DSP's firmware" in wrong["remedy"]
    assert "! the compute DSP is offline (/sys/class/remoteproc/remoteproc1)" in outside.stdout


def test_a_host_that_cannot_be_reached_is_not_added(
    ssh_user: Path, project: Path, buildtool: Buildtool
) -> None:
    done = buildtool("devices", "add", "--adb", "x", "--port", "22", cwd=project)
    assert "--port is for --ssh" in done.stderr
    for host in ("no-such-host.invalid", "-oProxyCommand=x"):
        done = buildtool("devices", "add", f"--ssh={host}", cwd=project)
        assert done.returncode in (1, 2)
        assert "error: " in done.stderr
        assert "→" in done.stderr
    assert not ssh_user.exists()


def test_the_only_attached_phone_is_added(
    user: Path,
    tmp_path: Path,
    adb_server: AdbServer,
    monkeypatch: pytest.MonkeyPatch,
    buildtool: Buildtool,
) -> None:
    for name, value in adb_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user.parents[1]))

    added = buildtool("devices", "add", "tablet", "--json", cwd=tmp_path)

    assert added.returncode == 0, added.stderr
    document = printed("devices-add", added.stdout)
    assert document["device"]["address"] == adb_server.serial
    assert document["device"]["target"] == ""
    other = buildtool("devices", "add", "--adb", "1A2B3C4D", cwd=tmp_path)
    assert other.returncode == 2
    assert "adb is not connected to 1A2B3C4D" in other.stderr
    assert f"{adb_server.serial} (device)" in other.stderr
