"""`devices.toml`: where it is, what it may say, and what is wrong in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from buildtool.core.errors import UsageError
from buildtool.device.configuration import (
    SECTIONS,
    DevicesError,
    configured_devices,
    open_device,
    user_file,
)
from buildtool.device.errors import DeviceError
from buildtool.project.model import Header, Project, Target
from buildtool.project.schema import file_schema
from tests.command_line import REPOSITORY

BOARD = '[device.board]\ntransport = "ssh"\naddress = "radxa@q6a.local"\n'

HERE = '[device.here]\ntransport = "local"\n'

ADB = '[device.phone]\ntransport = "adb"\naddress = "1A2B"\n'


def write(text: str) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(text)


def project(tmp_path: Path) -> Project:
    return Project(tmp_path, Header("p"), {}, {}, {})


@pytest.fixture(autouse=True)
def _own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))


def test_the_file_is_in_the_configuration_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert user_file() == tmp_path / "config" / "buildtool" / "devices.toml"
    monkeypatch.setenv("HOME", "/home/somebody")
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_CONFIG_HOME", ignored)
        assert user_file() == Path("/home/somebody/.config/buildtool/devices.toml")


def test_a_device_has_all_keys() -> None:
    write(
        BOARD + 'port = 2222\ntarget = "q6a"\nroot = "~/tests"\ntags = ["v68", "lab"]\n'
        f'{ADB}adb-server = "[::1]:5037"\nrun-as = "com.example.app"\n'
    )

    devices = configured_devices(None)

    assert [*devices] == ["board", "phone"]
    assert devices["board"].port == 2222
    assert devices["board"].tags == ("v68", "lab")
    assert devices["phone"].adb_server == "[::1]:5037"
    assert devices["phone"].run_as == "com.example.app"


def test_devices_beside_the_project_file_take_precedence(tmp_path: Path) -> None:
    write(BOARD + BOARD.replace("board", "other"))
    (tmp_path / "devices.toml").write_text(BOARD.replace("q6a.local", "here"))

    devices = configured_devices(project(tmp_path))

    assert devices["board"].address == "radxa@here"
    assert devices["other"].address == "radxa@q6a.local"


def test_the_tables_are_cached(tmp_path: Path) -> None:
    (tmp_path / "cache" / "devices").mkdir(parents=True)
    write(BOARD)
    first = configured_devices(None)
    cached = tmp_path / "cache" / "devices" / "devices.json"
    assert cached.is_file()
    assert configured_devices(None) == first

    cached.write_text("damaged")
    assert configured_devices(None) == first
    write(BOARD.replace("radxa", "root"))
    assert configured_devices(None)["board"].address == "root@q6a.local"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (BOARD + 'adress = "x"', 4, ("unknown key", "Did you mean 'address'?")),
        (BOARD.replace("ssh", "shh"), 2, ("'shh'", "'ssh'")),
        (BOARD.replace('address = "radxa@q6a.local"', ""), 1, ("lacks the key 'address'",)),
        (BOARD.replace("radxa@", "-oProxyCommand=touch"), 3, ("not a host",)),
        (BOARD.replace("radxa@", "a b@"), 3, ("not a host",)),
        (BOARD.replace("radxa@q6a.local", ""), 1, ("lacks the key 'address'",)),
        (BOARD.replace("radxa@", "\\u001b"), 3, ("not a host",)),
        (BOARD + "port = 65536", 4, ("65536 is not a port",)),
        (BOARD + "port = -1", 4, ("-1 is not a port",)),
        (BOARD + 'port = "22"', 4, ("must be a number", "port = 22")),
        (BOARD + 'root = "opt"', 4, ("'opt' is not an absolute directory",)),
        (BOARD + 'root = "/"', 4, ("'/' is not an absolute directory",)),
        (BOARD + 'root = "/opt/../etc"', 4, ("not an absolute directory",)),
        (BOARD + 'root = "$OTHER/x"', 4, ("not an absolute directory",)),
        (BOARD + 'tags = ["a b"]', 4, ("'a b' is not a valid tag",)),
        (BOARD + 'domain = "npu"', 4, ("'npu'", "gdsp1")),
        (BOARD + 'adb-server = "host:5037"', 4, ("does not apply to ssh",)),
        (BOARD + 'run-as = "com.example.app"', 4, ("does not apply to ssh",)),
        (ADB.replace("1A2B", "1A 2B"), 3, ("'1A 2B' is not a serial number",)),
        (ADB + "port = 22", 4, ("does not apply to adb",)),
        (HERE + 'address = "q6a"', 3, ("does not apply to local",)),
        (HERE + 'via = "labgrid:q6a"', 3, ("does not apply to local",)),
        (HERE + "port = 22", 3, ("does not apply to local",)),
        (ADB + 'adb-server = "h"', 4, ("address of an adb server",)),
        (ADB + 'run-as = "x; y"', 4, ("not the name of an app",)),
        (BOARD.replace("board", "sim"), 1, ("built in",)),
        (BOARD.replace("board", "'a b'"), 1, ("not a valid name",)),
        ("[devices.board]", 1, ("unknown key", "Did you mean 'device'?")),
        ("[device]\nboard = 1", 2, ("must be a table",)),
        ("device = 1", 1, ("must be tables",)),
        ("[device.board", 1, ("not TOML",)),
        ("[" * 5000, 1, ("not TOML",)),
        ("x" + ".x" * 100_000 + " = 1", 1, ("more than 32 parts",)),
        ("#" * (1 << 20) + "\n", 1, ("larger than 1 MiB",)),
    ],
)
def test_errors_have_file_line_and_remedy(text: str, line: int, words: tuple[str, ...]) -> None:
    write(text)

    with pytest.raises(DevicesError) as raised:
        configured_devices(None)

    assert str(raised.value).startswith(f"{user_file()}:{line}: ")
    for word in words:
        assert word in str(raised.value)
    assert raised.value.remedy


def test_a_file_that_is_not_text_is_an_error() -> None:
    write("")
    user_file().write_bytes(b"\xff\xfe")
    with pytest.raises(DevicesError, match="cannot be read"):
        configured_devices(None)


def test_an_unknown_device_has_a_suggestion(tmp_path: Path) -> None:
    write(BOARD)

    with pytest.raises(UsageError) as raised:
        open_device("bord", project(tmp_path))

    assert "there is no device 'bord'" in raised.value.message
    assert str(user_file()) in raised.value.why
    assert str(tmp_path / "devices.toml") in raised.value.why
    assert "Did you mean 'board'? Known: sim, board." in raised.value.remedy
    assert "buildtool devices add bord" in raised.value.remedy


def test_the_address_of_a_place_of_a_lab_can_be_left_out() -> None:
    write('[device.q6a]\ntransport = "ssh"\nvia = "labgrid:q6a"\n')
    assert configured_devices(None)["q6a"].via == "labgrid:q6a"


@pytest.mark.parametrize("via", ["", "q6a", "labgrid:", "labgrid:-p", "labgrid:a b", "other:q6a"])
def test_what_is_no_place_of_a_lab_is_refused(via: str) -> None:
    write(f'[device.q6a]\ntransport = "ssh"\nvia = "{via}"\n')
    with pytest.raises(DevicesError, match=r"is not a place of a lab|lacks the key 'address'"):
        configured_devices(None)


def test_the_published_schema_is_the_models() -> None:
    published = json.loads((REPOSITORY / "docs" / "devices.schema.json").read_text())
    assert published == file_schema("devices.toml", SECTIONS)


def test_this_machine_is_a_device_if_it_is_an_arm64_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(HERE)
    for machine in ("x86_64", "riscv64"):
        monkeypatch.setattr(os, "uname", lambda machine=machine: SimpleNamespace(machine=machine))
        with pytest.raises(DeviceError, match="not an ARM64 system") as error:
            open_device("here", None)
        assert error.value.why == f"uname -m prints {machine}"
        assert "buildtool run sim" in error.value.remedy
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="aarch64"))
    assert open_device("here", None).root == "$HOME/.local/share/buildtool"
    with pytest.raises(UsageError) as unknown:
        open_device("local", None)
    assert unknown.value.remedy.endswith("Add it: buildtool devices add local --local")


def test_a_target_is_no_device(tmp_path: Path) -> None:
    known = project(tmp_path)._replace(targets={"phone": Target("android")})
    with pytest.raises(UsageError, match="there is no device 'phone'") as error:
        open_device("phone", known)
    assert "buildtool devices add NAME --target phone" in error.value.remedy
