"""The devices that `--on` lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.core.events import Event, Note
from buildtool.device import selection
from buildtool.device.selection import NoFreeDeviceError, select_devices

DEVICES = """
[device.q6a]
transport = "ssh"
address = "q6a"
tags = ["lab", "v68"]
[device.phone]
transport = "adb"
address = "1a2b"
tags = ["lab", "fast"]
[device.other]
transport = "adb"
address = "3c4d"
tags = ["lab", "fast"]
"""


@pytest.fixture(autouse=True)
def devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")  # no ssh and no adb: no facts are remembered
    (tmp_path / "buildtool").mkdir()
    (tmp_path / "buildtool" / "devices.toml").write_text(DEVICES)


def free(_: str) -> str:
    return ""


def all_but(*busy: str) -> Callable[[str], str]:
    return lambda name: f"{name} is in use" if name in busy else ""


def select(
    text: str,
    reserve: Callable[[str], str] = free,
    wait: float = 0,
    notes: list[Event] | None = None,
) -> list[str]:
    heard: list[Event] = [] if notes is None else notes
    return [str(chosen) for chosen in select_devices(text, None, reserve, heard.append, wait=wait)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("q6a", ["q6a"]),
        ("phone, q6a", ["phone", "q6a"]),
        ("sim,sim:sm8550,sim:SM8550", ["sim", "sim:SM8550"]),
        ("all:lab", ["q6a", "phone", "other"]),
        ("other,all:lab", ["other", "q6a", "phone"]),
        ("tag:lab", ["q6a"]),
        ("tag:lab,q6a", ["phone", "q6a"]),
        ("tag:fast,tag:fast", ["phone", "other"]),
        ("all:v68", ["q6a", "sim"]),
        ("tag:v68", ["q6a"]),
        ("q6a,tag:v68", ["q6a", "sim"]),
    ],
)
def test_lists(text: str, found: list[str]) -> None:
    assert select(text) == found


def test_the_first_device_that_is_free() -> None:
    assert select("tag:lab", all_but("q6a")) == ["phone"]
    assert select("tag:fast,tag:lab", all_but("phone")) == ["other", "q6a"]
    with pytest.raises(NoFreeDeviceError) as error:
        select("tag:v68", all_but("q6a"))  # and not sim
    assert error.value.why == "q6a is in use"
    with pytest.raises(NoFreeDeviceError):
        select("phone,other,tag:fast")


def test_waiting_for_a_device_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "POLL_SECONDS", 0.01)
    busy = ["q6a", "phone", "other", "other"]
    notes: list[Event] = []
    assert select("tag:lab", lambda _: busy.pop() if busy else "", 60, notes) == ["phone"]
    (note,) = notes
    assert isinstance(note, Note)
    assert note.text.startswith("waiting for a device with the tag 'lab': ")
    with pytest.raises(NoFreeDeviceError):
        select("tag:lab", all_but("q6a", "phone", "other"), 0.05)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no device ''"),
        ("q6a,", "no device ''"),
        ("phon", "Did you mean 'phone'?"),
        ("tag:none", "the tag 'none'"),
        ("all:", "the tag ''"),
        ("sim:", "no device 'sim:'"),
        ("sim:sm8551", "Did you mean 'SM8550'?"),
        ("group:lab", "no device 'group:lab'"),
        ("tag:\x1b[31m", r"the tag '\x1b[31m'"),
    ],
)
def test_what_names_no_device(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        select(text)
    assert message in str(error.value)
