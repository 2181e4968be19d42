"""Tables of `devices.toml` are appended, removed and renamed; everything else stays as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.device.configuration import ConfiguredDevice, DevicesError
from buildtool.device.device_tables import append_device, remove_device, rename_device, table_of

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


FIRST = '# mine\n[device.first]\ntransport = "adb"\naddress = "1"  # the phone\n'
QUOTED = '[ device . "q6a.local" ]\ntransport = "ssh"\naddress = "q6a"\ntags = [\n  "a",\n]\n'
LAST = '\n# spare\n[device.last]\ntransport = "adb"\naddress = "2"\n'


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("first", "# mine\n" + QUOTED + LAST),
        ("q6a.local", FIRST + LAST),
        ("last", FIRST + QUOTED + "\n# spare\n"),
    ],
)
def test_a_table_is_removed(name: str, rest: str, tmp_path: Path) -> None:
    file = tmp_path / "devices.toml"
    file.write_text(FIRST + QUOTED + LAST)
    file.chmod(0o600)

    remove_device(file, name)

    assert file.read_text() == rest
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "new", "before", "after"),
    [
        ("first", "phone", "[device.first]", "[device.phone]"),
        ("q6a.local", "q6a", '[ device . "q6a.local" ]', "[device.q6a]"),
        ("last", "a.b", "[device.last]", '[device."a.b"]'),
    ],
)
def test_a_table_is_renamed(name: str, new: str, before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "devices.toml"
    file.write_text(FIRST + QUOTED + LAST)

    rename_device(file, name, new)

    assert file.read_text() == (FIRST + QUOTED + LAST).replace(before, after)


def test_what_cannot_be_removed_or_renamed(tmp_path: Path) -> None:
    file = tmp_path / "devices.toml"
    for text in (
        'device = { first = { transport = "adb", address = "1" } }\n',
        '[device]\nfirst = { transport = "adb", address = "1" }\n',
    ):
        file.write_text(text)
        with pytest.raises(UsageError, match="has a form that is not changed here") as error:
            remove_device(file, "first")
        assert f"Edit {file} by hand" in error.value.remedy
        with pytest.raises(UsageError, match="has a form that is not changed here"):
            rename_device(file, "first", "second")
        assert file.read_text() == text

    file.write_text(FIRST + LAST)
    with pytest.raises(UsageError, match="there is a device 'last' already"):
        rename_device(file, "first", "last")
    with pytest.raises(UsageError, match="'a b' is not a name"):
        rename_device(file, "first", "a b")
    with pytest.raises(UsageError, match="has a form that is not changed here"):
        rename_device(file, "first", "sim")
    assert file.read_text() == FIRST + LAST
