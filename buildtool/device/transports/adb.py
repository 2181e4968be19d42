"""Devices that adb reaches, with the user's adb, keys and server.

The meaning of the messages of adb and run-as.

Source: transport.cpp, adb_client.cpp and commandline.cpp of Android's adb; run-as.cpp of Android.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import UsageError
from buildtool.core.escape import escape
from buildtool.core.processes.process import capture
from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError, DeviceError, KnownFailure, explain
from buildtool.device.transports.adb_server import AdbServer, adb_server
from buildtool.device.transports.transport import Command, quote
from buildtool.project.model import Tool
from buildtool.sdk.adb import find_adb
from buildtool.sdk.tool_search import NO_REQUIREMENT, require_usable

if TYPE_CHECKING:
    from socket import socket


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
                    raise self._explain(str(error.strerror or error), (), NO_SERVER) from error

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
    def forwarded(self, number: int) -> Iterator[Callable[[], socket]]:
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
        failures = () if status < 0 else FAILURES
        return self._explain(messages, failures, KILLED if status < 0 else NO_REPORT, abs(status))

    @property
    def _adb(self) -> list[str | Path]:
        host, _, port = self.server.rpartition(":")
        server = ["-H", host, "-P", port] if self.server else []
        return [self.program, *server, "-s", self.serial]

    def _explain(
        self,
        messages: str,
        failures: tuple[KnownFailure, ...],
        otherwise: KnownFailure,
        status: int = 0,
    ) -> DeviceConnectionError:
        command = " ".join(["adb", *map(str, self._adb[1:])])
        return explain(
            messages,
            failures,
            otherwise,
            device=self.serial,
            command=f"{command} get-state",
            adb=command,
            app=self.run_as or "the app",
            status=str(status),
        )

    def _start(self, server: AdbServer) -> None:
        """Start the user's server if there is none.

        If there is one of another version, raise: adb would stop it, with all that it does for
        other programs.
        """
        try:
            version = str(int(server.ask("host:version").text, 16))
        except (OSError, ValueError):
            done = capture(
                [self.program, "start-server"], env=self.environment, timeout=START_SECONDS
            )
            if done.status:
                raise self._explain(done.output, (), NO_SERVER, done.status) from None
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
                raise self._explain(state.text, FAILURES, NO_CONNECTION)
            if "offline" in state.text:
                server.ask(f"host:disconnect:{self.serial}")
            answer = server.ask(f"host:connect:{self.serial}").text
            connected = answer.startswith(("connected to ", "already connected to "))
            if not connected and (": " in answer or time.monotonic() > end):
                raise self._explain(answer, FAILURES, NO_CONNECTION)
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


UNAUTHORIZED = KnownFailure(
    r"device unauthorized|device still authorizing|failed to authenticate",
    "{device} does not trust this computer",
    "Unlock the device and accept the key that it shows: Allow USB debugging.",
)
NO_PERMISSION = KnownFailure(
    r"insufficient permissions for device|no permissions",
    "this user may not open {device}",
    "Install the udev rules for Android (apt-get install android-sdk-platform-tools-common), become"
    " a member of the group plugdev, and connect the device anew.",
)
MISSING = KnownFailure(
    r"^(adb: )?(error: )?(failed to get feature set: )?(device '.*' not found|no devices)",
    "{device} is not connected",
    "Connect it, switch on USB debugging, and compare its serial with: adb devices. A device in the"
    " bootloader is not listed.",
)
AMBIGUOUS = KnownFailure(
    r"more than one device",
    "{device} is the serial of more than one device",
    "Disconnect the others, or name the device by what `adb devices -l` prints for it: usb:1-4.",
)
OFFLINE = KnownFailure(
    r"device offline|device still connecting|device '.*' (is )?offline",
    "{device} does not answer",
    "Connect it anew; over the network: adb reconnect offline. Then look at: {command}",
)
NO_SHELL_V2 = KnownFailure(
    r"target doesn't support PTY args|only supports allocating a pty|device only supports",
    "{device} is too old",
    "Its adb cannot return exit statuses (shell v2): a device with Android 7 or newer is needed.",
)
OTHER_MODE = KnownFailure(
    r"\b(in )?(sideload|recovery|rescue|bootloader|fastboot)( mode)?\b",
    "{device} has not started Android",
    "Restart it: adb reboot. Then look at: {command}",
)
REFUSES_CONNECTION = KnownFailure(
    r"failed to connect to|failed to resolve host|unable to connect",
    "the adb server does not reach {device}",
    "Check that the device is switched on, in this network, and takes connections: adb tcpip 5555"
    " while it is connected by USB.",
)
RUN_AS = KnownFailure(
    r"^run-as: (unknown package|package )",
    "{device} does not run commands as {app}",
    "Install the app, built with android:debuggable.",
)
NO_RUN_AS = KnownFailure(
    r"^run-as: |run-as: (inaccessible or )?not found",
    "{device} cannot run commands as {app}",
    "Remove run-as from the settings of the device, or use another device.",
)
_SERVER_FAILURE = KnownFailure(
    r"cannot connect to daemon|cannot start server on remote host|failed to start daemon|"
    r"daemon still not running|failed to check server version",
    "there is no adb server",
    "Start it on the machine with the device: adb start-server. For other machines: adb -a"
    " nodaemon server.",
)
REPLACED_SERVER = KnownFailure(
    r"doesn't match this client",
    "adb has stopped an adb server of another version",
    "Use one version of adb for all programs: set 'path' in [tool.adb] of buildtool.toml. Then"
    " start the command again.",
)
INTERRUPTED = KnownFailure(
    r"^(adb: )?(error: )?(closed|protocol fault|connection reset|write failure)|Broken pipe",
    "the connection to {device} was interrupted",
    "Check the cable or the network, then start the command again: {command}",
)
FAILURES = (
    REPLACED_SERVER,
    UNAUTHORIZED,
    NO_PERMISSION,
    AMBIGUOUS,
    MISSING,
    OFFLINE,
    NO_SHELL_V2,
    _SERVER_FAILURE,
    REFUSES_CONNECTION,
    RUN_AS,
    NO_RUN_AS,
    OTHER_MODE,
    INTERRUPTED,
)
NO_SERVER = KnownFailure("it does not answer", "there is no adb server", _SERVER_FAILURE.remedy)
NO_CONNECTION = KnownFailure(
    "the server says:", "the adb server does not reach {device}", REFUSES_CONNECTION.remedy
)
NO_REPORT = KnownFailure(
    "adb ended with status {status}, without a report of the script",
    "the connection to {device} was interrupted",
    INTERRUPTED.remedy,
)
KILLED = KnownFailure(
    "it had no time to report anything",
    "signal {status} ended adb, and with it the connection to {device}",
    "Start the command again, unless the signal was sent on purpose.",
)
