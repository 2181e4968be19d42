"""The interface of every transport."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from buildtool.device.errors import DeviceError

if TYPE_CHECKING:
    from socket import socket

Command = Sequence[str | Path]
NOT_THERE = ("LD_PRELOAD", "BUILDTOOL_DSP_ARCH", "BUILDTOOL_DSP_DOMAIN")
"""Variables of this process that are not for programs on a device."""
MAX_ARGUMENT = (128 << 10) - 1
"""Bytes of one argument of a program; execve(2): MAX_ARG_STRLEN."""


class Transport(Protocol):
    """A way to run scripts of a POSIX shell on a device."""

    @property
    def address(self) -> str:
        """The device in messages: `ssh radxa@q6a`, `adb 1a2b3c`."""

    @property
    def root(self) -> str:
        """The directory on the device that releases are installed below by default.  It may begin
        with `$HOME/`, which the device's shell expands."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of the processes that `command` starts."""

    @property
    def direct(self) -> bool:
        """Whether scripts run as processes of this machine, which inherit its descriptors."""

    def connect(self, *, unattended: bool = False) -> None:
        """Make sure that there is a connection which further commands use.

        Quick when there is one.  An `unattended` one asks the user nothing, neither for a password
        nor about a key.  Raises `DeviceConnectionError`, `ToolMissingError`,
        `ToolUnfitError`.
        """

    def command(self, script: str, *, terminal: bool = False) -> Command:
        """The command line, on this machine, of a process that runs `script` on the device.

        The standard streams of the process are those of the script, byte for byte; with `terminal`
        they are a terminal of the device.  Raises `DeviceError` when the script is too long.
        """

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        """For the block, a function that connects to a TCP port on the device's loopback.

        `connect` must have been called.  The function can be called from any thread; it raises
        `OSError` when nothing listens there, unless the socket that it returns ends at once.
        Raises `DeviceError`.
        """

    def lost(self, status: int, messages: str) -> DeviceError:
        """Why a script ended without a report: the process ended with `status` (negative: by a
        signal) after it had written `messages` to standard error."""


def check_size(line: str, address: str) -> None:
    """Raise `DeviceError` when `line`, a script for the device `address`, is too long for an
    argument."""
    size = len(os.fsencode(line))
    if size > MAX_ARGUMENT:
        raise DeviceError(
            f"a script for {address} is too long",
            why=f"with quotation marks it has {size:,} bytes, a command {MAX_ARGUMENT:,}",
            remedy="Pass less in arguments and variables, for example the name of a file.",
        )


def quote(text: str) -> str:
    """`text` as one word of a command line, for POSIX shells and fish.

    Between single quotes fish, unlike POSIX shells, gives backslashes a meaning: a backslash is
    written between double quotes.
    """
    special = {"'": "'\"'\"'", "\\": "'\"\\\\\"'"}
    return "'" + "".join(special.get(letter, letter) for letter in text) + "'"


def inherited() -> dict[str, str]:
    """The variables of this process that scripts on this machine have, too."""
    return {name: value for name, value in os.environ.items() if name not in NOT_THERE}


@contextlib.contextmanager
def port_of_this_machine(number: int) -> Iterator[Callable[[], socket]]:
    """For the block, a function that connects to a TCP port of loopback."""
    from socket import create_connection  # noqa: PLC0415 - rarely needed

    yield lambda: create_connection(("localhost", number))
