"""Devices that adb reaches, with the user's adb, keys and server.

The server holds the connections to devices, and answers without a process of adb: a request is four
hex digits with its length and a text; the answer is `OKAY` or `FAIL`, and a text of the same form.
Source: docs/user/adb.1.md and SERVICES.TXT of Android's adb.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.escape import escape
from buildtool.core.processes.process import capture
from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError, DeviceError, explain
from buildtool.device.transports.transport import Command, quote
from buildtool.project.model import Tool
from buildtool.sdk.device_programs import find_adb
from buildtool.sdk.tool_search import NO_REQUIREMENT, require_usable

if TYPE_CHECKING:
    import socket

MAX_REQUEST = 0xFFFF
"""Bytes of a request to the adb server, whose length has four hex digits."""
START_SECONDS = 30.0
"""How long adb may take to start its server, which searches for devices."""
JOIN_SECONDS = 10.0
"""How long the adb server may take until a device in the network is ready."""
SERIAL = r"[A-Za-z0-9_\[][\w.:%@\[\]-]{0,255}"
SERVER = r"(?:[A-Za-z0-9][\w.-]{0,254}|\[[0-9A-Fa-f:.]{2,45}\]):(\d{1,5})"
PACKAGE = r"[A-Za-z]\w{0,99}(?:\.\w{1,100}){1,20}"
NETWORK_SERIAL = r"(?!usb:).+:\d+"
ANSWER_SECONDS = 20.0
"""How long the server may take; it connects to a device over the network in less than 10 s."""
DEFAULT_PORT = 5037


class Adb(Value):
    """The device `serial` of an adb server; see `adb_device`.

    `server` is the one at `HOST:PORT`, or the user's if it is "".  With `run_as` scripts run as the
    app of this name, in its directory.
    """

    program: Path
    serial: str
    protocol: str = ""
    server: str = ""
    run_as: str = ""

    @property
    def address(self) -> str:
        return f"adb {self.serial}" + (f" at {self.server}" if self.server else "")

    @property
    def root(self) -> str:
        # run-as sets HOME to the app's directory.  Source: run-as.cpp of Android.
        return "$HOME/buildtool" if self.run_as else "/data/local/tmp/buildtool"

    @property
    def environment(self) -> Mapping[str, str]:
        return os.environ

    @property
    def direct(self) -> bool:
        return False

    def connect(self, *, unattended: bool = False) -> None:
        del unattended  # the device asks its user, and adb nobody
        server = adb_server(self.server)
        if not server:
            return
        for is_last in (False, True):
            if server.local:
                self._start(server)
            if not re.fullmatch(NETWORK_SERIAL, self.serial):
                return
            try:
                self._join(server)
                return
            except OSError as error:
                # The server can end when a connection breaks: "failed to unregister fd -1 with
                # epoll" (seen with adb 29).
                if is_last or not server.local:
                    raise self._explain("", "no-server", str(error.strerror or error)) from error

    def command(self, script: str, *, terminal: bool = False) -> Command:
        line = f"run-as {self.run_as} sh -c {quote(script)}" if self.run_as else script
        header = f"shell,v2,TERM={os.environ.get('TERM', '')},raw:"
        size, room = len(os.fsencode(line)), MAX_REQUEST - len(os.fsencode(header))
        if size > room:
            raise DeviceError(
                f"a script for {self.address} is too long",
                why=f"it has {size:,} bytes; adb takes {room:,}",
                remedy="Pass less in arguments and variables, for example the name of a file.",
            )
        return [*self._adb, "shell", "-tt" if terminal else "-T", line]

    @contextlib.contextmanager
    def forwarded(self, number: int) -> Iterator[Callable[[], socket.socket]]:
        # `adb forward` would outlive this process, and would listen on the server's machine.
        server = adb_server(self.server)
        if not server:
            raise DeviceError(
                f"ports of {self.address} cannot be forwarded",
                why="ADB_SERVER_SOCKET names the adb server in a way that is unknown here",
                remedy="Write it as tcp:HOST:PORT or localfilesystem:PATH.",
            )
        yield lambda: server.connected_to(self.serial, f"tcp:{number}")

    def lost(self, status: int, messages: str) -> DeviceError:
        if status < 0:
            return self._explain("", "killed", messages, -status)
        return self._explain("reported", "no-report", messages, status)

    @property
    def _adb(self) -> list[str | Path]:
        host, _, port = self.server.rpartition(":")
        server = ["-H", host, "-P", port] if self.server else []
        return [self.program, *server, "-s", self.serial]

    def _explain(
        self, kind: str, otherwise: str, messages: str, status: int = 0
    ) -> DeviceConnectionError:
        command = " ".join(["adb", *map(str, self._adb[1:]), "get-state"])
        names = {"device": self.serial, "command": command, "app": self.run_as or "the app"}
        return explain("adb", kind, otherwise, messages, status=str(status), **names)

    def _start(self, server: AdbServer) -> None:
        """Start the user's server if there is none.  If there is one of another version, raise: adb
        would stop it, with all that it does for other programs."""
        try:
            version = str(int(server.ask("host:version").text, 16))
        except (OSError, ValueError):
            done = capture(
                [self.program, "start-server"], env=self.environment, timeout=START_SECONDS
            )
            if done.status:
                raise self._explain("", "no-server", done.output, done.status) from None
            return
        if self.protocol and version != self.protocol:
            raise DeviceError(
                "the adb server that is running is of another version than adb",
                why=f"the server has version {version}, {self.program} version {self.protocol}; adb"
                " would stop the server, and with it what other programs do on devices",
                remedy="Set 'path' in [tool.adb] of buildtool.toml to the adb that has started the"
                " server, or stop it: adb kill-server",
            )

    def _join(self, server: AdbServer) -> None:
        """Have the server connect to a device in the network; raises `OSError` without a server.

        After a connection has broken, the server changes its mind about the device for a while, and
        fails to connect to it without a reason.
        """
        end = time.monotonic() + JOIN_SECONDS
        while not (state := server.ask(f"host-serial:{self.serial}:get-state")).okay:
            if "unauthorized" in state.text or time.monotonic() > end:
                raise self._explain("reported", "no-connection", state.text)
            if "offline" in state.text:
                server.ask(f"host:disconnect:{self.serial}")
            answer = server.ask(f"host:connect:{self.serial}").text
            connected = answer.startswith(("connected to ", "already connected to "))
            if not connected and (": " in answer or time.monotonic() > end):
                raise self._explain("reported", "no-connection", answer)
            time.sleep(0.01)


def adb_device(
    serial: str, *, server: str = "", run_as: str = "", requirement: Tool = NO_REQUIREMENT
) -> Adb:
    """The device `serial` (`1a2b3c`, `192.168.1.5:5555`) of the user's adb server, or of the server
    `HOST:PORT`; with `run_as` the debuggable app of this name there.

    `requirement` is the project's of adb.  Raises `UsageError`, `ToolMissingError`,
    `ToolUnfitError`.
    """
    _require(SERIAL, serial, "the serial of a device", "Take one that `adb devices` lists.")
    if server:
        address = _require(SERVER, server, "the address of an adb server", "Write HOST:PORT.")
        if not 0 < int(address[1]) < 1 << 16:
            _require("", server, "the address of an adb server", "A port is at most 65535.")
    if run_as:
        _require(
            PACKAGE, run_as, "the name of an app", "Write it as in `adb shell pm list packages`."
        )
    adb = require_usable("adb", find_adb(requirement))
    return Adb(
        program=adb.where, serial=serial, protocol=adb.protocol, server=server, run_as=run_as
    )


def _require(pattern: str, text: str, what: str, remedy: str) -> re.Match[str]:
    if found := re.fullmatch(pattern, text, re.ASCII):
        return found
    raise UsageError(f"{escape(text)[:100]!r} is not {what}", remedy=remedy)


class Answer(Value):
    """The answer of an adb server; `text` is what was asked for, or why there is none."""

    okay: bool
    text: str


class AdbServer(Value):
    """The adb server at a place that the user's environment names, or at `host` and `port`.
    `local`: adb starts the server when there is none."""

    local: bool
    host: str
    port: int
    path: str = ""
    """The path of a Unix socket, in place of host and port; it begins with a zero byte for a name
    in the abstract namespace."""

    def ask(self, request: str) -> Answer:
        """The answer to a request.  Raises `OSError` when there is none."""
        with self._connected() as connection:
            _send(connection, request)
            okay = _read(connection, 4) == b"OKAY"
            try:
                size = int(_read(connection, 4), 16)
            except ValueError:
                raise ConnectionError(0, "it does not answer as an adb server does") from None
            return Answer(okay, _read(connection, size).decode(errors="replace"))

    def connected_to(self, serial: str, service: str) -> socket.socket:
        """A connection to a service of a device, such as `tcp:8080`.  Raises `OSError`."""
        connection = self._connected()
        try:
            for request in (f"host:transport:{serial}", service):
                _send(connection, request)
                if _read(connection, 4) != b"OKAY":
                    raise ConnectionRefusedError(0, f"the adb server refuses {request}")
            connection.settimeout(None)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connected(self) -> socket.socket:
        import socket  # noqa: PLC0415 - only commands for devices need it

        if not self.path:
            return socket.create_connection((self.host.strip("[]"), self.port), ANSWER_SECONDS)
        connection = socket.socket(socket.AF_UNIX)
        try:
            # With `settimeout`, connect(2) fails while other clients wait to be accepted (EAGAIN).
            limit = struct.pack("@ll", int(ANSWER_SECONDS), 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
            connection.connect(self.path)
            connection.settimeout(ANSWER_SECONDS)
        except BaseException:
            connection.close()
            raise
        return connection


def adb_server(server: str = "") -> AdbServer | None:
    """The server that adb asks with the options -H and -P of `server`, a text `HOST:PORT`.

    Without it the one that the environment names; None when it is named in a way that is unknown
    here.  Source: adb(1) and socket_spec.cpp of Android's adb.
    """
    if server:
        host, _, port = server.rpartition(":")
        return AdbServer(local=False, host=host, port=int(port))
    kind, _, place = os.environ.get("ADB_SERVER_SOCKET", "").partition(":")
    if not kind:
        host = os.environ.get("ANDROID_ADB_SERVER_ADDRESS", "")
        place = f"{host}:{os.environ.get('ANDROID_ADB_SERVER_PORT') or DEFAULT_PORT}"
    if kind in {"localfilesystem", "local"}:
        return AdbServer(local=True, host="", port=0, path=place)
    if kind == "localabstract":
        return AdbServer(local=True, host="", port=0, path=f"\0{place}")
    host, _, port = place.rpartition(":")
    if kind in {"", "tcp"} and port.isdecimal() and int(port) < 1 << 16:
        local = host in {"", "localhost"}
        return AdbServer(local=local, host=host or "localhost", port=int(port))
    return None


def _send(connection: socket.socket, request: str) -> None:
    data = os.fsencode(request)
    connection.sendall(b"%04x%s" % (len(data), data))


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise ConnectionResetError(0, "it has closed the connection")
        data += more
    return data
