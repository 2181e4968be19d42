"""The terminal of this machine while a script has one of a device."""

from __future__ import annotations

import os
import pty
import signal
import sys
import termios

import pytest

from buildtool.device.conversation import conversation
from buildtool.device.device import Device
from buildtool.device.errors import DeviceConnectionError
from tests.remote.sshd import SshClient

SCRIPT = """
import os, sys
from buildtool.device.conversation import conversation
from buildtool.device.transports.adb import adb_device
from buildtool.device.transports.local import Local
from buildtool.device.transports.ssh import ssh_device

others = {"board": lambda: ssh_device("board"), "local": Local}
transport = others.get(sys.argv[1], lambda: adb_device(sys.argv[1]))()
transport.connect()
text = "echo ready; read -r line; echo got $line; stty size; sleep 20"
with conversation(
    transport, text, {}, stdin=None, terminal=True, on_messages=lambda data: os.write(1, data)
) as talk:
    talk.wait()
"""


@pytest.mark.parametrize("device", ["board", "phone", "local"])
def test_a_killed_command_restores_the_terminal(
    device: str, request: pytest.FixtureRequest
) -> None:
    name = device
    if device != "local":
        name = getattr(request.getfixturevalue(device).transport, "serial", "board")
    process, terminal = pty.fork()
    if not process:
        os.execv(sys.executable, [sys.executable, "-c", SCRIPT, name])
    termios.tcsetwinsize(terminal, (33, 77))
    screen = b""
    while b"ready" not in screen:
        screen += os.read(terminal, 1000)
    os.write(terminal, b"hello\n")
    while b"33 77" not in screen:
        screen += os.read(terminal, 1000)
    assert b"got hello" in screen
    assert not termios.tcgetattr(terminal)[3] & termios.ICANON
    os.kill(process, signal.SIGTERM)
    os.waitpid(process, 0)
    assert termios.tcgetattr(terminal)[3] & termios.ICANON
    os.close(terminal)


def test_what_ssh_says_is_known_with_a_terminal_too(board: Device, client: SshClient) -> None:
    client.config.write_text("Host board\nPort 1\n" + client.config.read_text())
    with conversation(board.transport, "", {}, stdin=0, terminal=True) as talk:
        talk.wait()
        with pytest.raises(DeviceConnectionError, match="accepts no ssh connections"):
            talk.report()
