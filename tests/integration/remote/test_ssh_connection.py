"""Commands for a device share one connection of ssh."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest

from buildtool.device.device import Device
from buildtool.device.transports.ssh_socket import accepts
from tests.remote.boards import board_of, logins, master, shared_socket, ssh_of
from tests.remote.sshd import SshClient, SshServer
from tests.remote.tool_sets import SYSTEM_PATH


def test_further_commands_use_the_same_connection(board: Device, ssh_server: SshServer) -> None:
    before = logins(ssh_server)
    board.transport.connect()
    for _ in range(3):
        board.transport.connect()
        board.exec("true")
    assert logins(ssh_server) == before + 1


def test_connecting_again_starts_no_process(board: Device, tmp_path: Path) -> None:
    board.transport.connect()
    (tmp_path / "client" / "bin" / "ssh").rename(tmp_path / "client" / "bin" / "gone")
    board.transport.connect()


CONNECT = """
from buildtool.device.transports.ssh import ssh_device
ssh = ssh_device("board")
ssh.connect()
print("connected", flush=True)
"""


def connecting() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CONNECT],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_the_connection_outlives_the_command_and_keeps_no_stream_open(
    board: Device, ssh_server: SshServer
) -> None:
    before = logins(ssh_server)
    process = connecting()
    assert process.communicate(timeout=10)[0] == "connected\n"  # to the end of the stream
    board.transport.connect()
    assert logins(ssh_server) == before + 1
    descriptors = {path.readlink() for path in Path(f"/proc/{master(board)}/fd").iterdir()}
    assert not any(str(path).startswith("pipe:") for path in descriptors)
    assert os.getsid(master(board)) == master(board)


def test_two_processes_that_connect_at_once_share_a_connection(
    board: Device, ssh_server: SshServer
) -> None:
    before = logins(ssh_server)
    processes = [connecting() for _ in range(3)]
    assert [p.communicate(timeout=20)[0] for p in processes] == ["connected\n"] * 3
    assert logins(ssh_server) == before + 1


def test_a_stale_socket_is_replaced(board: Device) -> None:
    path = shared_socket(board)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    board.transport.connect()
    assert accepts(path)


def test_a_command_works_after_the_connection_has_ended(
    board: Device, ssh_server: SshServer
) -> None:
    board.transport.connect()
    before = logins(ssh_server)
    os.kill(master(board), signal.SIGKILL)
    assert board.exec("echo hi").stdout == b"hi\n"
    assert logins(ssh_server) == before + 1
    board.transport.connect()
    assert accepts(shared_socket(board))


def test_more_commands_than_the_server_allows_sessions_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SshServer(tmp_path / "server", max_sessions=1) as server:
        board = board_of(server.client, monkeypatch)
        board.transport.connect()
        threads = [threading.Thread(target=board.exec, args=("sleep 0.5",)) for _ in range(2)]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        assert board.exec("echo hi").stdout == b"hi\n"
        for thread in threads:
            thread.join()


def test_another_configuration_makes_another_connection(board: Device, tmp_path: Path) -> None:
    other = shutil.copytree(tmp_path / "client" / "bin", tmp_path / "other")
    first = shared_socket(board)
    transport = ssh_of(board)._replace(program=other / "ssh")
    assert shared_socket(board._replace(transport=transport)) != first
    assert shared_socket(board._replace(transport=ssh_of(board)._replace(port=1))) != first


def test_sockets_are_in_a_directory_of_this_user_alone(
    board: Device, runtime_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = shared_socket(board).parent
    assert directory == runtime_directory / "buildtool"
    assert directory.stat().st_mode & 0o777 == 0o700
    directory.chmod(0o755)
    assert shared_socket(board).parent != directory
    directory.rmdir()
    directory.symlink_to(runtime_directory)
    assert shared_socket(board).parent != directory
    directory.unlink()
    directory.touch(mode=0o600)
    assert shared_socket(board).parent != directory
    for name in ("x" * 80, "%h", "${USER}"):
        (runtime_directory / name).mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_directory / name))
        assert shared_socket(board).parent == Path(f"/tmp/buildtool-{os.geteuid()}")


def test_questions_of_ssh_appear_on_the_terminal(
    client: SshClient, board: Device, tmp_path: Path
) -> None:
    known_hosts = tmp_path / "client" / "known_hosts"
    known_hosts.unlink()
    client.config.write_text(client.config.read_text().replace("Checking yes", "Checking ask"))
    process, terminal = pty.fork()
    if not process:
        os.execv(sys.executable, [sys.executable, "-c", CONNECT])
    screen = b""
    answers = [(b"continue connecting", b"yes\n"), (b"connected", b"")]
    while answers:
        screen += os.read(terminal, 1000)
        if answers[0][0] in screen:
            os.write(terminal, answers.pop(0)[1])
            screen = b""
    assert os.waitpid(process, 0)[1] == 0
    os.close(terminal)  # a terminal that hangs up does not end the connection
    assert "ssh-ed25519" in known_hosts.read_text()
    assert accepts(shared_socket(board))


def test_ctrl_c_at_a_question_of_ssh_restores_the_terminal(board: Device, tmp_path: Path) -> None:
    key = tmp_path / "client" / "user_key"
    subprocess.run(["ssh-keygen", "-q", "-p", "-N", "secret", "-f", key], check=True)
    process, terminal = pty.fork()
    if not process:
        os.execv(sys.executable, [sys.executable, "-c", CONNECT])
    screen = b""
    while b"passphrase" not in screen:
        screen += os.read(terminal, 1000)
    while termios.tcgetattr(terminal)[3] & termios.ECHO:
        time.sleep(0.01)
    os.write(terminal, b"\x03")
    os.waitpid(process, 0)
    assert termios.tcgetattr(terminal)[3] & termios.ECHO
    os.close(terminal)
    assert not accepts(shared_socket(board))


def test_a_killed_ssh_a_stand_in_leaves_the_terminal_as_it_was(client: SshClient) -> None:
    """ssh turns the echo off for a question before it handles signals."""
    ssh = client.bin / "ssh"
    ssh.write_text(
        f"#!/bin/sh\n[ $1 != -V ] || exec {shutil.which('ssh', path=SYSTEM_PATH)} -V\n"
        "stty -echo </dev/tty\necho off >/dev/tty\nread -r line </dev/tty\nkill -KILL $$\n"
    )
    process, terminal = pty.fork()
    if not process:
        os.environ["PATH"] = client.environment["PATH"]
        os.execv(sys.executable, [sys.executable, "-c", CONNECT])
    screen = b""
    while b"off" not in screen:
        screen += os.read(terminal, 1000)
    assert not termios.tcgetattr(terminal)[3] & termios.ECHO
    os.write(terminal, b"\n")
    os.waitpid(process, 0)
    assert termios.tcgetattr(terminal)[3] & termios.ECHO
    os.close(terminal)
