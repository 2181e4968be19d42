"""Scripts run on devices over ssh."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings

from buildtool.core.processes.process import PIPE
from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.script import script
from buildtool.device.transports.ssh_socket import accepts
from tests.remote.boards import board_of, shared_socket
from tests.remote.scripts import ARGUMENTS, assert_arguments_arrive
from tests.remote.sshd import SshClient, SshServer
from tests.remote.tool_sets import EACH_TOOL_SET

STATUSES = (0, 1, 2, 126, 127, 128, 137, 254, 255)


@pytest.mark.parametrize("ssh_server", EACH_TOOL_SET, indirect=True)
def test_statuses_and_streams_arrive(board: Device) -> None:
    board.transport.connect()
    for status in STATUSES:
        done = board.exec(f"printf out; printf err >&2; exit {status}")
        assert (done.status, done.stdout, done.stderr) == (status, b"out", "err")


def test_data_arrive_unchanged_in_both_directions(board: Device, tmp_path: Path) -> None:
    board.transport.connect()
    data = os.urandom(5_000_000) + bytes(range(256)) + b"\r\n\0\n~.\n"
    (tmp_path / "data").write_bytes(data)
    with (tmp_path / "data").open("rb") as stream:
        assert board.exec("cat", stdin=stream.fileno()).stdout == data


@pytest.mark.long
def test_much_output_arrives(board: Device) -> None:
    board.transport.connect()
    assert len(board.exec("head -c 20000000 /dev/zero").stdout) == 20_000_000


@pytest.mark.parametrize("shell", ["/usr/bin/fish", "/bin/bash", "/usr/bin/zsh"])
def test_arguments_arrive_through_any_login_shell(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path(shell).exists():
        pytest.skip(f"there is no {shell}")
    with SshServer(tmp_path / "server", shell=shell) as server:
        board = board_of(server.client, monkeypatch)
        board.transport.connect()

        @settings(max_examples=15)
        @given(ARGUMENTS)
        def arrive(arguments: list[str]) -> None:
            assert_arguments_arrive(board, arguments)

        arrive()


def test_a_script_may_be_almost_128_kib_long(board: Device) -> None:
    board.transport.connect()
    room = 128 * 1024 - len("exec sh -c ''") - 1
    own = len(script("common"))  # what comes before the script
    for missing in (own + 1000, own + 400):
        text = "echo ok #".ljust(room - missing, "x")
        assert board.exec(text).stdout == b"ok\n"
    with pytest.raises(DeviceError, match="too long"):
        board.exec("#".ljust(room + 1, "x"))


DISTURBING = """
Host *
    ControlMaster auto
    ControlPath /nonexistent/%C
    ControlPersist yes
    RemoteCommand echo other
    RequestTTY force
    ForwardX11 yes
    PermitLocalCommand yes
    LocalCommand touch {mark}
    SessionType none
    StdinNull yes
    ForkAfterAuthentication yes
    LogLevel QUIET
    LocalForward 127.0.0.1:{port} localhost:1
    ExitOnForwardFailure yes
"""


def test_settings_of_the_user_do_not_disturb(
    client: SshClient, ssh_server: SshServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = DISTURBING.format(mark=tmp_path / "mark", port=ssh_server.port)
    board = board_of(client, monkeypatch, text)
    (tmp_path / "data").write_bytes(b"a\r\nb\0")
    for _ in range(2):
        with (tmp_path / "data").open("rb") as stream:
            assert board.exec("cat; tty", stdin=stream.fileno()).stdout == b"a\r\nb\0not a tty\n"
        board.transport.connect()
    assert accepts(shared_socket(board))
    assert not (tmp_path / "mark").exists()


def test_a_script_gets_a_terminal(board: Device) -> None:
    board.transport.connect()
    seen: list[bytes] = []
    with conversation(
        board.transport,
        'tty; stty size >/dev/null; printf "%sexit 7\\n%s" "$mark" "$mark"',
        {},
        stdin=PIPE,
        terminal=True,
        on_messages=seen.append,
    ) as talk:
        assert talk.wait(time.monotonic() + 10)
        assert talk.report().text.strip() == "7"
    assert b"/dev/pts/" in b"".join(seen)
