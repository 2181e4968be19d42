"""The adb server, which holds the connections to devices; it answers without a process of adb.

A request is four hex digits with its length and a text.  The answer is `OKAY` or `FAIL`, and a text
of the same form.  Source: docs/user/adb.1.md and SERVICES.TXT of Android's adb.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

from buildtool.core.value import Value

if TYPE_CHECKING:
    import socket

ANSWER_SECONDS = 20.0
"""How long the server may take; it connects to a device over the network in less than 10 s."""
DEFAULT_PORT = 5037


class Answer(Value):
    """The answer of an adb server; `text` is what was asked for, or why there is none."""

    okay: bool
    text: str


class AdbServer(Value):
    """The adb server at a place that the user's environment names, or at `host` and `port`.

    `local`: adb starts the server when there is none.
    """

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
