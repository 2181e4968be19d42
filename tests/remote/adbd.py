"""Real adbds and a real adb server, in a network of their own.

Debian's adbd listens on all addresses and asks nobody for authorization, so it must never run in
the network of this machine.  Clients outside reach the adb server through a Unix socket.

A session of Debian's adbd 34 is `/bin/sh -c COMMAND`, in the root directory, with HOME from the
password database, TMPDIR=/data/local/tmp, and adbd's PATH.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

from .device_root import DeviceRoot
from .sshd import library_path
from .stops import Stops
from .tool_sets import SYSTEM_PATH, Tools

UNPACKED = REPOSITORY / ".venv" / "adbd"
_PLATFORM_TOOLS = Path("usr/lib/android-sdk/platform-tools")
_FIRST_PORT = 601
"""adbd also listens on vsock, which network namespaces do not separate, with the same port.  The
device may listen on TCP ports below 1024, but not on those of vsock."""


def _wait_until(condition: Callable[[], bool], what: str, log: Path | None = None) -> None:
    end = time.monotonic() + 10
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} does not start: {log.read_text() if log else ''}")
        time.sleep(0.01)


class AdbServer(Stops):
    """An adb server and `count` adbds that it is connected to; a context manager that ends them.

    `device` is where the sessions run, `serials` the serials of the adbds and `serial` the first.
    `environment` is the one of clients: its `adb` runs in the network of the adb server, so a
    client that starts a new server, as adb does if there is none, starts it there.
    """

    def __init__(
        self,
        directory: Path,
        *,
        tools: Tools = "coreutils",
        noisy: bool = False,
        disk: str = "",
        count: int = 1,
        unpacked_adb: bool = False,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """`directory` must not exist; `tools`, `noisy` and `disk` are those of `DeviceRoot`;
        `variables` are set in sessions.  The adb server and clients are those of Debian's package
        adb (29 in Debian 12), or with `unpacked_adb` those that belong to adbd (34).

        Skips the test if there is no adbd here.
        """
        if not (UNPACKED / _PLATFORM_TOOLS / "adbd").exists():
            pytest.skip("there is no adbd: scripts/setup tests")
        adb = shutil.which("adb", path=SYSTEM_PATH)
        if not adb:
            pytest.skip("there is no adb: scripts/setup tests")
        self._adb = [adb]
        if unpacked_adb:
            libraries = f"LD_LIBRARY_PATH={library_path(UNPACKED)}"
            self._adb = ["env", libraries, str(UNPACKED / _PLATFORM_TOOLS / "adb")]
        self._directory = directory
        self._variables = dict(variables or {})
        self.device = DeviceRoot(
            directory / "device", tools=tools, noisy=noisy, disk=disk, network=True
        )
        # The path of a Unix socket has at most 107 characters.
        self._socket = tempfile.TemporaryDirectory(prefix="adb-")
        self._children: list[subprocess.Popen[bytes]] = []
        try:
            self._client = self._make_client(directory / "client")
            self.ports = [_FIRST_PORT + index for index in range(count)]
            for port in self.ports:
                self._start_adbd(port)
            self.start_server()
            self.serials = [self.connect(port) for port in self.ports]
        except BaseException:
            self.stop()
            raise
        self.serial = self.serials[0]

    @property
    def environment(self) -> dict[str, str]:
        # Not of the test that has started the server.
        path = f"{self._client['PATH']}:{os.environ['PATH']}"
        return {**os.environ, **self._client, "PATH": path}

    def _make_client(self, directory: Path) -> dict[str, str]:
        (directory / "bin").mkdir(parents=True)
        (directory / "home").mkdir()
        wrapper = directory / "bin" / "adb"
        command = shlex.join(self.device.network_command(*self._adb))
        wrapper.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        wrapper.chmod(0o755)
        return {
            "PATH": str(wrapper.parent),
            "HOME": str(directory / "home"),  # of adb's key
            "TMPDIR": self._socket.name,  # of the log of a server that a client starts
            "ADB_SERVER_SOCKET": f"localfilesystem:{self._socket.name}/server",
        }

    def _start_adbd(self, port: int) -> None:
        # With LD_LIBRARY_PATH the sessions would have it too.
        loader = next(path for path in Path("/").glob("lib*/ld-linux-*.so.*"))
        adbd = UNPACKED / _PLATFORM_TOOLS / "adbd"
        log = self._directory / f"adbd-{port}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.device.command(loader, "--library-path", library_path(UNPACKED), adbd),
                env={"PATH": self.device.path, "ADBD_PORT": str(port), **self._variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._children.append(process)
        _wait_until(lambda: f"listening on tcp:{port}" in log.read_text(), "adbd", log)

    def start_server(self) -> None:
        """Start the adb server; it must not be running."""
        log = self._directory / "server.log"
        ends = "setpriv", "--pdeathsig", "KILL"
        with log.open("ab") as output:
            server = subprocess.Popen(
                self.device.network_command(*ends, *self._adb, "nodaemon", "server"),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._children.append(server)
        _wait_until(Path(self._socket.name, "server").is_socket, "the adb server", log)

    def reboot(self) -> None:
        """Kill all adbds and their sessions, as a reboot does, and start the adbds again.

        The adb server goes on, and connects again by itself within about a second.
        """
        self.device.kill_processes()
        for port in self.ports:
            self._start_adbd(port)

    def kill_server(self) -> None:
        """Kill the adb server, as a crash would.

        The next client starts a new one, which is not connected to any device.
        """
        for process in self._servers():
            os.kill(process, signal.SIGKILL)
        _wait_until(lambda: not self._servers(), "nothing")
        Path(self._socket.name, "server").unlink(missing_ok=True)

    def _servers(self) -> list[int]:
        """The processes of the adb server; it was started here or by a client."""
        return [
            process
            for process, line in self.device.processes().items()
            if Path(line.partition(" ")[0]).name == "adb" and "server" in line.split()
        ]

    def connect(self, port: int) -> str:
        """Connect the adb server to `port` of its network, which can be that of a proxy; returns
        the serial of the device."""
        serial = f"127.0.0.1:{port}"
        done = self.adb("connect", serial)
        assert "connected to" in done.stdout, done
        _wait_until(lambda: self.adb("-s", serial, "get-state").stdout == "device\n", serial)
        return serial

    def adb(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the client."""
        return subprocess.run(
            ["adb", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    def stop(self) -> None:
        self.device.stop()
        for child in self._children:
            child.kill()
            child.wait()
        self._socket.cleanup()
