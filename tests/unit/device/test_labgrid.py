"""What coordinators of labgrid say is checked: everybody in a lab can write to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buildtool.device.labgrid.place import (
    LabgridError,
    find_labgrid,
    parse_events,
    parse_resources,
    person,
)
from buildtool.sdk.tool_search import ToolMissingError

SERVICE = ["NetworkService", {"address": "10.0.0.2", "username": "radxa", "port": 2222}]
USB = ["RemoteAndroidUSBFastboot", {"host": "rack", "path": "1-4.2", "busnum": 1}]


def test_addresses_are_those_of_the_resources() -> None:
    assert parse_resources("q6a", [SERVICE, USB]).ssh_address() == ("radxa@10.0.0.2", 2222)
    assert parse_resources("q6a", [SERVICE, USB]).adb_address() == ("usb:1-4.2", "rack:5037")
    assert parse_resources("q6a", [SERVICE]).adb_address() == ("10.0.0.2:2222", "")
    without_port = ["NetworkService", {"address": "q6a", "username": "radxa"}]
    assert parse_resources("q6a", [without_port]).ssh_address() == ("radxa@q6a", 0)


@pytest.mark.parametrize(
    ("resources", "why"),
    [
        ([], "it needs one NetworkService; available there: none"),
        ([SERVICE, SERVICE], "available there: NetworkService, NetworkService"),
        ([["Net\x1b[2J", {}]], "available there: Net\\x1b[2J"),
        ([["NetworkService", 7], [["NetworkService"], {}]], "available there: ['NetworkService']"),
        (
            [["NetworkService", {"extra": {"proxy_required": True, "proxy": "rack"}}]],
            "its exporter allows ssh only through 'rack'",
        ),
    ],
)
def test_resources_without_an_address_are_an_error(resources: Any, why: str) -> None:
    with pytest.raises(LabgridError, match="does not say how its device is reached") as error:
        parse_resources("q6a", resources).ssh_address()
    assert why in error.value.why
    assert "labgrid-client -p q6a show" in error.value.remedy


@pytest.mark.parametrize(
    ("holder", "shown"),
    [
        ("laptop/ann", "ann@laptop"),
        ("laptop+buildtool-0a1b2c3d-77-beef00/ann", "ann@laptop with buildtool"),
        ("lap\ntop/a\x1bnn", "a\\x1bnn@lap\\ntop"),
        ("", "@"),
    ],
)
def test_holders_are_shown_as_people(holder: str, shown: str) -> None:
    assert person(holder) == shown


@pytest.mark.parametrize("line", ["", "ERROR:root: no", "[1]", "7", "[" * 100_000, '{"event"'])
def test_lines_that_are_no_events_are_messages(line: str) -> None:
    assert parse_events(f"first\n{line}") == ({}, f"first\n{line}")


def test_an_event_is_the_last_line() -> None:
    assert parse_events('one\ntwo\n{"event": "held"}\n') == ({"event": "held"}, "one\ntwo")


@pytest.mark.parametrize(
    ("script", "python"),
    [
        ("#!/opt/my.lab/bin/python3.11\n", "/opt/my.lab/bin/python3.11"),
        ("#!/usr/bin/python3 -E\n", "/usr/bin/python3"),
        ("#!/bin/sh\n'''exec' \"/my lab/bin/python\" \"$0\" \"$@\"\n' '''\n", "/my lab/bin/python"),
        ("#!/bin/sh\n'''exec' /long/bin/python \"$0\" \"$@\"\n' '''\n", "/long/bin/python"),
        ("#!/bin/bash\nexec python3\n", ""),
        ("\x7fELF", ""),
    ],
)
def test_labgrid_is_in_the_python_that_runs_labgrid_client(
    script: str, python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "labgrid-client"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    if python:
        assert find_labgrid().where == Path(python)
    else:
        with pytest.raises(ToolMissingError) as error:
            find_labgrid()
        assert str(program) in error.value.why
