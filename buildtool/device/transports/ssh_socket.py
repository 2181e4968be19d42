"""The socket of ssh's shared connection to a host (ssh_config(5): ControlMaster).

TCP ports of devices are forwarded over it, too.

The shared connection listens at a Unix socket and connects whoever connects there to the port.  It
is asked to do so, and to stop (ssh(1): -O forward, -O cancel), because it outlives this process.
No TCP port of this machine leads to it, so what a killed process leaves is in nobody's way; the
next one removes it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest
from buildtool.core.processes.process import Completed, capture
from buildtool.core.processes.process_tree import start_of
from buildtool.device.errors import DeviceError

if TYPE_CHECKING:
    from socket import socket

MAX_PATH = 107 - 17
"""Bytes of a path.  unix(7): 107 bytes; ssh binds the socket with a dot and 16 letters after its
name, and renames it then."""
NAME_LETTERS = 20
REQUEST_SECONDS = 10.0


def socket_path(*identity: str | int | None) -> Path:
    """The path of the socket of a connection: in a directory that only this user can enter.

    `identity` is what the connection depends on, besides the user's configuration: after a change
    there another connection is made.  Raises `BuildtoolError` when there is no such directory.
    """
    digest = value_digest([*identity, *map(_stamp, _configurations())])
    return _directory() / digest[:NAME_LETTERS]


def accepts(path: Path) -> bool:
    """Whether a process accepts connections on the socket."""
    import socket  # noqa: PLC0415 - only commands for devices need it

    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


def _configurations() -> Sequence[Path]:
    """The files that ssh reads.  Source: ssh(1), which takes the home directory from the password
    database, not from $HOME."""
    import pwd  # noqa: PLC0415 - only commands for devices need it

    try:
        home = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        home = "/nonexistent"
    return [Path(home, ".ssh", "config"), Path("/etc/ssh/ssh_config")]


def _stamp(path: Path) -> Sequence[int]:
    try:
        status = path.stat()
    except OSError:
        return []
    return [status.st_ino, status.st_size, status.st_mtime_ns]


def _directory() -> Path:
    """$XDG_RUNTIME_DIR/buildtool; without a usable one, a directory in /tmp."""
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    places = [Path(own, "buildtool")] if own.startswith("/") else []
    places.append(Path(f"/tmp/buildtool-{os.geteuid()}"))
    problems = []
    for place in places:
        if not (problem := _problem(place)):
            return place
        problems.append(f"{place}: {problem}")
    raise BuildtoolError(
        "no directory for the sockets of ssh connections",
        why="; ".join(problems),
        remedy="Set XDG_RUNTIME_DIR to a directory that only you can enter, with a short path.",
    )


def _problem(place: Path) -> str:
    """Make the directory `place`; why it cannot be used, "" if it can."""
    if len(os.fsencode(place)) + 1 + NAME_LETTERS > MAX_PATH:
        return "its path is too long for a socket"
    if not {"%", "$"}.isdisjoint(str(place)):
        return "ssh expands a part of its path"
    try:
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)
        status = place.lstat()
    except OSError as error:
        return str(error.strerror)
    if not stat.S_ISDIR(status.st_mode):
        return "it is not a directory"
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    if status.st_mode & 0o077:
        return "other users can enter it"
    return ""


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
