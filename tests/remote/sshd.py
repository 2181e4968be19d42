"""A real OpenSSH server on loopback, and the client's side of it.

sshd runs as the user who runs the tests.  It accepts one key, and logs in one user, whose home
directory, login shell and tools are those of a `DeviceRoot`.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from buildtool.core.value import Value
from tests.command_line import REPOSITORY

from .device_root import DeviceRoot
from .stops import Stops
from .tool_sets import SYSTEM_PATH, Tools

UNPACKED = REPOSITORY / ".venv" / "sshd"
HOST = "board"
"""The name of the server in the client's configuration."""

_SERVER = """
ListenAddress 127.0.0.1:{port}
HostKey {directory}/host_key
PidFile none
AuthorizedKeysFile {directory}/user_key.pub
AuthenticationMethods publickey
StrictModes no
UsePAM no
MaxSessions {max_sessions}
MaxStartups 100
LogLevel VERBOSE
Subsystem sftp internal-sftp
SetEnv {variables}
"""

_CLIENT = """
Host {host}
    HostName 127.0.0.1
    Port {port}
    User {user}
    IdentityFile {directory}/user_key
    IdentitiesOnly yes
    HostKeyAlias {host}
    UserKnownHostsFile {directory}/known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
"""


class SshClient(Value):
    """The user's side: `ssh`, `scp` and `sftp` in `bin` use `config`, which knows the host `host`.

    OpenSSH reads the configuration in the home directory of the password database, not in $HOME;
    hence the programs in `bin`, which comes first on the PATH of `environment`.
    """

    host: str
    bin: Path
    config: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}


class SshServer(Stops):
    """sshd on a free port of 127.0.0.1; a context manager that ends it and its sessions.

    `device` is where the sessions run, `variables` are set in them, `log` is the log of sshd,
    `client` a client.
    """

    def __init__(
        self,
        directory: Path,
        *,
        tools: Tools = "coreutils",
        shell: str | None = None,
        noisy: bool = False,
        disk: str = "",
        max_sessions: int = 10,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """`directory` must not exist; `tools`, `shell`, `noisy` and `disk` are those of
        `DeviceRoot`; `variables` are set in sessions.

        Skips the test if there is no sshd here.
        """
        self._directory = directory
        self._program = program()
        self.device = DeviceRoot(
            directory / "device", tools=tools, noisy=noisy, shell=shell, disk=disk
        )
        self.log = directory / "sshd.log"
        self._max_sessions = max_sessions
        self.variables = {
            "PATH": self.device.path,
            "HOME": str(self.device.home),
            **(variables or {}),
        }
        try:
            for key in ("host_key", "user_key"):
                command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f"]
                subprocess.run([*command, str(directory / key)], check=True)
            self._start()
        except BaseException:
            self.device.stop()
            raise
        self.client = self.make_client(directory / "client")

    def _start(self, port: int = 0) -> None:
        config = self._directory / "sshd_config"
        for _ in range(5):  # another process can take the free port first
            self.port = port or free_port()
            config.write_text(
                _SERVER.format(
                    directory=self._directory,
                    port=self.port,
                    max_sessions=self._max_sessions,
                    variables=" ".join(f'"{n}={v}"' for n, v in self.variables.items()),
                )
            )
            sshd = subprocess.Popen(
                self.device.command(self._program, "-D", "-f", config, "-E", self.log),
                env={"PATH": SYSTEM_PATH, "LD_LIBRARY_PATH": library_path(UNPACKED)},
                stdin=subprocess.DEVNULL,
            )
            self._sshd = sshd
            end = time.monotonic() + 10
            while sshd.poll() is None and time.monotonic() < end:
                if self.log.exists() and "Server listening" in self.log.read_text():
                    return
                time.sleep(0.01)
            sshd.kill()
            sshd.wait()
        raise AssertionError(f"sshd does not start: {self.log.read_text()}")

    def make_client(self, directory: Path, port: int | None = None) -> SshClient:
        """A client with its files in the new directory `directory`; it connects to `port`, which
        is by default that of sshd, and can be that of a proxy."""
        bin_directory = directory / "bin"
        bin_directory.mkdir(parents=True)
        shutil.copy(self._directory / "user_key", directory)  # with its mode
        host_key = (self._directory / "host_key.pub").read_text()
        (directory / "known_hosts").write_text(f"{HOST} {host_key}")
        config = directory / "config"
        config.write_text(
            _CLIENT.format(
                host=HOST, port=port or self.port, user=self.device.user, directory=directory
            )
        )
        for name in ("ssh", "scp", "sftp"):
            wrapper = bin_directory / name
            wrapper.write_text(f"#!/bin/sh\nexec {shutil.which(name)} -F '{config}' \"$@\"\n")
            wrapper.chmod(0o755)
        return SshClient(host=HOST, bin=bin_directory, config=config)

    def reboot(self, **variables: str) -> None:
        """Kill sshd and all sessions, as a reboot does, and start sshd again, with other variables
        in sessions."""
        self.variables.update(variables)
        self.device.kill_processes()
        self._sshd.wait()
        self.log.unlink()
        self._start(self.port)

    def stop(self) -> None:
        self.device.stop()
        self._sshd.kill()
        self._sshd.wait()


def program() -> Path:
    """sshd, unpacked by `scripts/setup tests`, or installed; skips the test if there is none."""
    for found in (UNPACKED / "usr/sbin/sshd", Path("/usr/sbin/sshd")):
        if found.exists():
            return found
    pytest.skip("there is no sshd: scripts/setup tests")


def library_path(root: Path) -> str:
    """The directories of shared libraries in unpacked Debian packages."""
    libraries = [*root.glob("lib/*/*.so.*"), *root.glob("usr/lib/**/*.so.*")]
    return ":".join(sorted({str(library.parent) for library in libraries}))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
