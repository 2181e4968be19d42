"""TCP ports of devices that OpenSSH reaches.

The shared connection listens at a Unix socket and connects whoever connects there to the port.  It
is asked to do so, and to stop (ssh(1): -O forward, -O cancel), because it outlives this process.
No TCP port of this machine leads to it, so what a killed process leaves is in nobody's way; the
next one removes it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.processes.process import Completed, capture
from buildtool.core.processes.process_tree import start_of
from buildtool.device.errors import DeviceError

if TYPE_CHECKING:
    from socket import socket

REQUEST_SECONDS = 10.0


@contextlib.contextmanager
def forwarded_port(
    ssh: Path, control: Path, address: str, number: int
) -> Iterator[Callable[[], socket]]:
    """For the block, a function that connects to port `number` of the device, through the shared
    connection with the socket `control`.  Raises `DeviceError` when there is no such connection."""
    for left in control.parent.glob(f"{control.name}-*-*"):
        process, port = left.name.split("-")[1:]
        pid = process.partition(".")[0]
        if not pid.isdecimal() or process != _identity(int(pid)):
            _ask(ssh, control, "cancel", left, port)
            left.unlink(missing_ok=True)
    place = control.with_name(f"{control.name}-{_identity(os.getpid())}-{number}")
    done = _ask(ssh, control, "forward", place, number)
    if done.status:
        raise DeviceError(
            f"port {number} of {address} cannot be forwarded",
            why=done.output.strip()[-500:],
            remedy="Start the command again; if it fails again, look at the ssh configuration of"
            " both machines.",
        )
    try:
        yield lambda: _connected(place)
    finally:
        with contextlib.suppress(Exception):  # the connection may be lost
            _ask(ssh, control, "cancel", place, number)
        place.unlink(missing_ok=True)


def _identity(pid: int) -> str:
    """A process by its number and start: only together they are not used again."""
    return f"{pid}.{start_of(pid)}"


def _ask(ssh: Path, control: Path, request: str, place: Path, port: int | str) -> Completed:
    # The connection exists, and forwards that the user's configuration lists are not asked for.
    command: list[str | Path] = [ssh, "-F", "/dev/null", "-S", control, "-O", request]
    command += ["-L", f"{place}:localhost:{port}", "device"]
    return capture(command, env=os.environ, timeout=REQUEST_SECONDS)


def _connected(place: Path) -> socket:
    import socket  # noqa: PLC0415 - rarely needed

    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(place))
    except BaseException:
        connection.close()
        raise
    return connection
