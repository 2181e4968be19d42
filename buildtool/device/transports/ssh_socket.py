"""The socket of ssh's shared connection to a host (ssh_config(5): ControlMaster)."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest

MAX_PATH = 107 - 17
"""Bytes of a path.  unix(7): 107 bytes; ssh binds the socket with a dot and 16 letters after its
name, and renames it then."""
NAME_LETTERS = 20


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
