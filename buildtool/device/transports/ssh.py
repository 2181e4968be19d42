"""Devices that OpenSSH reaches, with everything that the user's configuration says of them.

Scripts run in sessions of one shared connection to each host, which a background ssh process holds
(ssh_config(5): ControlMaster).  It outlives the command of buildtool that started it, and ends ten
minutes after the last session.
"""

from __future__ import annotations

import contextlib
import os
import selectors
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.escape import escape, is_control
from buildtool.core.lock import locked
from buildtool.core.processes.interrupts import restored_terminal
from buildtool.core.processes.process import DEVNULL, PIPE, Process, running
from buildtool.core.value import Value
from buildtool.device.errors import DeviceError, explain
from buildtool.device.transports.ssh_socket import accepts, forwarded_port, socket_path
from buildtool.device.transports.transport import Command, check_size, quote
from buildtool.project.model import Tool
from buildtool.sdk.device_programs import find_ssh
from buildtool.sdk.tool_search import NO_REQUIREMENT, require_usable, version_numbers

if TYPE_CHECKING:
    from socket import socket

IDLE_SECONDS = 600
CONNECT_SECONDS = 15
ALIVE_SECONDS = 5
ALIVE_TRIES = 3
"""ssh notices an interrupted line after ALIVE_SECONDS * (ALIVE_TRIES + 1) at the latest."""
SSH_ERROR = 255
MAX_MESSAGES = 1 << 14
FORBIDDEN = set(" '\"`$;&<>|(){}")
"""Characters that OpenSSH 9.6 refuses in host names, because configurations pass the name on to
shells."""


class Ssh(Value):
    """The device that `ssh HOST` reaches; see `ssh_device`."""

    program: Path
    version: str
    host: str
    port: int | None = None

    @property
    def address(self) -> str:
        return f"ssh {self.host}" + (f" port {self.port}" if self.port else "")

    @property
    def root(self) -> str:
        return "$HOME/buildtool"

    @property
    def environment(self) -> Mapping[str, str]:
        return os.environ

    @property
    def direct(self) -> bool:
        return False

    def connect(self, *, unattended: bool = False) -> None:
        socket = self._socket()
        if accepts(socket):
            return
        try:
            with locked(socket.with_name(f"{socket.name}.lock")):
                if accepts(socket):
                    return
                socket.unlink(missing_ok=True)
                self._start_master(socket, unattended=unattended)
        except OSError as error:
            raise DeviceError(
                f"no socket for the connection to {self.host}",
                why=f"{error.strerror}: {error.filename}",
                remedy=f"Remove what is there: {socket.parent}",
            ) from error

    def command(self, script: str, *, terminal: bool = False) -> Command:
        line = f"exec sh -c {quote(script)}"
        check_size(line, self.address)  # sshd passes it to the login shell as one argument
        # Without a shared connection ssh makes one of its own.
        options = ["-S", str(self._socket()), "-o", "ControlMaster=no", "-tt" if terminal else "-T"]
        return [*self._ssh(*options), self.host, "--", line]

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        return forwarded_port(self.program, self._socket(), self.address, number)

    def lost(self, status: int, messages: str, silent: str = "silent") -> DeviceError:
        kind, otherwise = "", "killed"
        if status == SSH_ERROR:
            kind, otherwise = "reported", silent
        elif status >= 0:
            kind, otherwise = "shell", "no-report"
        command = f"ssh -p {self.port} {self.host}" if self.port else f"ssh {self.host}"
        names = {"device": self.host, "command": command, "status": str(abs(status))}
        return explain("ssh", kind, otherwise, messages, **names)

    def _socket(self) -> Path:
        return socket_path(str(self.program), self.host, self.port)

    def _ssh(self, *options: str) -> list[str | Path]:
        """ssh with settings that override those of the user's configuration that would disturb."""
        settings = {
            "ClearAllForwardings": "yes",  # the user's own connection may have the ports
            "ConnectTimeout": CONNECT_SECONDS,
            "ForwardX11": "no",
            "LogLevel": "ERROR",
            "PermitLocalCommand": "no",
            "RemoteCommand": "none",
            "ServerAliveCountMax": ALIVE_TRIES,
            "ServerAliveInterval": ALIVE_SECONDS,
            "Tunnel": "no",
        }
        if version_numbers(self.version) >= (8, 7):
            settings["SessionType"] = "default"
            settings["StdinNull"] = "no"
        return [
            self.program,
            *options,
            *(["-p", str(self.port)] if self.port else []),
            *(part for name, value in settings.items() for part in ("-o", f"{name}={value}")),
        ]

    def _start_master(self, socket: Path, *, unattended: bool) -> None:
        """Start the process that holds the connection; ssh asks questions on the terminal unless it
        is `unattended`.

        It ends when the connection is made or has failed: with -f it goes on in another process.
        """
        background = ["-M", "-N", "-f", "-T", "-S", str(socket)]
        background += ["-o", f"ControlPersist={IDLE_SECONDS}"]
        background += ["-o", "BatchMode=yes"] if unattended else []
        command = [*self._ssh(*background), self.host]
        # ssh turns its echo off before it handles signals, if it asks something.
        terminal = contextlib.nullcontext() if unattended else restored_terminal()
        with (
            terminal,
            running(
                command,
                env=self.environment,
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=PIPE,
                own_session=False,  # the user's terminal
            ) as process,
        ):
            messages = _messages(process)
            status = process.wait()
        if status:
            raise self.lost(status, messages, "closed-silently")


def _messages(process: Process) -> str:
    """The end of what a process writes to standard error before it ends.  Older versions of ssh
    keep the stream open in the background."""
    messages = b""
    assert process.stderr
    stream = process.stderr.fileno()
    ended = os.pidfd_open(process.pid)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            selector.register(ended, selectors.EVENT_READ)
            while stream in {key.fd for key, _ in selector.select()}:
                data = os.read(stream, MAX_MESSAGES)
                if not data:
                    break
                messages = (messages + data)[-MAX_MESSAGES:]
    finally:
        os.close(ended)
    return messages.decode(errors="replace")


def ssh_device(host: str, port: int | None = None, requirement: Tool = NO_REQUIREMENT) -> Ssh:
    """The device that the user's ssh knows as `host`: `USER@NAME`, or an alias of ~/.ssh/config.

    `requirement` is the project's of ssh.  Raises `UsageError` for what is not the name of a host,
    `ToolMissingError`, `ToolUnfitError`.
    """
    problem = host_problem(host)
    if not problem and port is not None and not 0 < port < 1 << 16:
        problem = f"{port} is not a port"
    if problem:
        raise UsageError(
            f"{escape(host)[:100]!r} cannot be the host of a device",
            why=problem,
            remedy="Write it as in `ssh USER@NAME`, or give an alias of ~/.ssh/config.",
        )
    found = require_usable("ssh", find_ssh(requirement))
    return Ssh(program=found.where, version=found.version, host=host, port=port)


def host_problem(host: str) -> str:
    """Why `host` cannot be given to ssh; "" if it can."""
    user, _, name = host.rpartition("@")
    if not name:
        return "it has no name"
    if name.startswith("-") or user.startswith("-"):
        return "ssh would take it for an option"
    if any(is_control(letter) or letter.isspace() for letter in host):
        return "it has blanks or control characters"
    if wrong := FORBIDDEN.intersection(host) or {"\\"}.intersection(name):
        return f"it has the character {min(wrong)}"
    return ""
