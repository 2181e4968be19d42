"""Devices behind ssh and adb: what is accepted as their names, and what the messages mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.errors import UsageError
from buildtool.core.escape import is_control
from buildtool.device.errors import MAX_COLUMNS, MAX_LINES, last_lines
from buildtool.device.transports.adb import Adb, adb_device, adb_server
from buildtool.device.transports.ssh import Ssh, host_problem, ssh_device

SSH = Ssh(program=Path("/usr/bin/ssh"), version="9.2p1", host="radxa@q6a.local")
ADB = Adb(program=Path("/usr/bin/adb"), serial="1a2b3c")


def test_addresses() -> None:
    assert SSH.address == "ssh radxa@q6a.local"
    assert SSH._replace(port=2222).address == "ssh radxa@q6a.local port 2222"


@pytest.mark.parametrize(
    "host", ["q6a", "radxa@q6a.local", "10.0.0.5", "fe80::1%eth0", "DOMAIN\\me@board", "a@b@jump"]
)
def test_names_of_hosts(host: str) -> None:
    assert not host_problem(host)


@pytest.mark.parametrize(
    "host",
    [
        *("user@", "-oProxyCommand=x", "me@-x", "-x@host"),
        *("$(x)", "a;b", "a'b", "a|b", "host\\x", "a`b`"),
        *("", "a b", "a\nb", "a\x1b[2J", "a\u202e"),
    ],
)
def test_names_that_are_no_hosts_are_refused(host: str) -> None:
    with pytest.raises(UsageError, match="cannot be the host"):
        ssh_device(host)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_numbers_that_are_no_ports_are_refused(port: int) -> None:
    with pytest.raises(UsageError, match=f"{port} is not a port"):
        ssh_device("q6a", port)


@pytest.mark.parametrize(
    ("serial", "server", "app"),
    [
        ("", "", ""),
        ("-s", "", ""),
        ("a b", "", ""),
        ("a\n", "", ""),
        ("ok", "host", ""),
        ("ok", "host:0", ""),
        ("ok", "host:65536", ""),
        ("ok", "-host:1", ""),
        ("ok", "", "app"),
        ("ok", "", "com.example;reboot"),
        ("ok", "", "com.example\n"),
    ],
)
def test_names_that_are_no_devices_of_adb_are_refused(serial: str, server: str, app: str) -> None:
    with pytest.raises(UsageError):
        adb_device(serial, server=server, run_as=app)


def test_commands_name_the_device() -> None:
    command = [str(part) for part in ADB.command("true")]
    assert command == ["/usr/bin/adb", "-s", "1a2b3c", "shell", "-T", "true"]
    remote = ADB._replace(server="[::1]:5038", run_as="com.example.app")
    command = [str(part) for part in remote.command("echo 'x'", terminal=True)]
    assert command[1:7] == ["-H", "[::1]", "-P", "5038", "-s", "1a2b3c"]
    assert command[7:] == [
        "shell",
        "-tt",
        "run-as com.example.app sh -c 'echo '\"'\"'x'\"'\"''",
    ]
    command = [str(part) for part in SSH._replace(port=2222).command("true", terminal=True)]
    assert command[command.index("-p") + 1] == "2222"
    assert "-tt" in command
    assert command[-3:] == ["radxa@q6a.local", "--", "exec sh -c 'true'"]
    assert not any("StrictHostKeyChecking" in part for part in command)


def test_settings_that_an_older_ssh_lacks_are_left_out() -> None:
    assert "SessionType=default" in SSH.command("true")
    assert "SessionType=default" not in SSH._replace(version="8.2p1").command("true")


@pytest.mark.parametrize(
    ("message", "happened"),
    [
        ("error: device '1a2b3c' not found", "is not connected"),
        ("adb: error: failed to get feature set: no devices/emulators found", "is not connected"),
        ("adb: device '1a2b3c' not found", "is not connected"),
        ("error: device offline", "does not answer"),
        ("error: device still connecting", "does not answer"),
        ("adb: device offline", "does not answer"),
        (
            "error: device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\n"
            "Try 'adb kill-server' if that seems wrong.\n"
            "Otherwise check for a confirmation dialog on your device.",
            "does not trust this computer",
        ),
        ("error: device still authorizing", "does not trust this computer"),
        (
            "error: insufficient permissions for device: user in plugdev group; are your udev rules"
            " wrong?\nSee [http://developer.android.com/tools/device.html] for more information",
            "may not open",
        ),
        ("error: more than one device with serial", "more than one device"),
        ("error: target doesn't support PTY args -Tt", "is too old"),
        ("error: closed", "was interrupted"),
        ("error: protocol fault (couldn't read status): Success", "was interrupted"),
        ("adb server version (40) doesn't match this client (41); killing...", "another version"),
        ("* failed to start daemon\nerror: cannot connect to daemon", "there is no adb server"),
        ("run-as: unknown package: com.example.app", "does not run commands as"),
        ("run-as: package not debuggable: com.example.app", "does not run commands as"),
        ("/system/bin/sh: run-as: inaccessible or not found", "cannot run commands as"),
        ("anything else", "was interrupted"),
    ],
)
def test_what_messages_of_adb_mean(message: str, happened: str) -> None:
    error = ADB.lost(1, message)
    assert happened in error.message
    assert message.splitlines()[-1] in error.why
    assert error.remedy


def test_a_program_that_prints_such_messages_does_not_mislead() -> None:
    text = "my tool: Connection refused\nPermission denied\nHost key\n"
    assert SSH.lost(255, text).message == "the connection to radxa@q6a.local was interrupted"
    assert SSH.lost(0, text).message.endswith("ended with status 0 and without a report")


def test_messages_are_short_and_without_control_characters() -> None:
    lines = last_lines("".join(f"line {n} {'x' * 1000}\r\n\n" for n in range(1000)))
    assert lines.count("\n") == MAX_LINES - 1
    assert all(len(line) == MAX_COLUMNS for line in lines.split("\n"))
    assert lines.startswith("line 992")


@given(st.text(st.sampled_from("ab {}\n\r\x1b\x9b\u202e\udc80é€")), st.integers(-64, 255))
def test_any_message_becomes_an_error(messages: str, status: int) -> None:
    for transport in (SSH, ADB):
        error = transport.lost(status, messages)
        assert error.message
        assert not any(map(is_control, error.why.replace("\n", "")))
        assert "{" not in error.message + error.remedy


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({}, (True, "localhost", 5037, "")),
        ({"ANDROID_ADB_SERVER_PORT": "5555"}, (True, "localhost", 5555, "")),
        ({"ANDROID_ADB_SERVER_ADDRESS": "pc"}, (False, "pc", 5037, "")),
        ({"ADB_SERVER_SOCKET": "tcp:5038"}, (True, "localhost", 5038, "")),
        ({"ADB_SERVER_SOCKET": "tcp:pc:5038"}, (False, "pc", 5038, "")),
        ({"ADB_SERVER_SOCKET": "localfilesystem:/run/adb"}, (True, "", 0, "/run/adb")),
        ({"ADB_SERVER_SOCKET": "localabstract:adb"}, (True, "", 0, "\0adb")),
        ({"ADB_SERVER_SOCKET": "vsock:2:5037"}, None),
        ({"ANDROID_ADB_SERVER_PORT": "x"}, None),
    ],
)
def test_the_adb_server_that_the_environment_names(
    variables: dict[str, str],
    place: tuple[bool, str, int, str] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_ADB_SERVER_PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert adb_server() == place
    assert adb_server("[::1]:5039") == (False, "[::1]", 5039, "")
