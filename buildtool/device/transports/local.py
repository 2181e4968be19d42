"""Programs on this machine: the board that buildtool itself runs on, and the emulated device."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError, DeviceError, explain
from buildtool.device.transports.transport import Command, check_size, quote

if TYPE_CHECKING:
    from socket import socket

NOT_THERE = ("LD_PRELOAD", "BUILDTOOL_DSP_ARCH")
"""Variables of this process that are not for programs on a device."""
MACHINE = "aarch64"


class Emulated(Value):
    """The shell of this machine, with an environment in which `run.sh` runs ARM64 programs."""

    root: str
    environment: Mapping[str, str]
    shell: str = "/bin/sh"

    @property
    def address(self) -> str:
        return "the emulated device"

    @property
    def direct(self) -> bool:
        return True

    def connect(self, *, unattended: bool = False) -> None:
        pass

    def command(self, script: str, *, terminal: bool = False) -> Command:
        del terminal  # the shell has the streams of this process
        return [self.shell, "-c", script]

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        return port_of_this_machine(number)

    def lost(self, status: int, messages: str) -> DeviceError:
        return DeviceConnectionError(
            "a script for the emulated device did not end regularly",
            why=f"{self.shell} ended with status {status}: {messages.strip()[-500:]}",
            remedy="If nothing has killed it, report this as an error of buildtool.",
        )


def inherited() -> dict[str, str]:
    """The variables of this process that scripts on this machine have, too."""
    return {name: value for name, value in os.environ.items() if name not in NOT_THERE}


@contextlib.contextmanager
def port_of_this_machine(number: int) -> Iterator[Callable[[], socket]]:
    """For the block, a function that connects to a TCP port of loopback."""
    from socket import create_connection  # noqa: PLC0415 - rarely needed

    yield lambda: create_connection(("localhost", number))


class Local(Value):
    """The board that buildtool itself runs on; see `local_device`."""

    shell: str = "/bin/sh"

    @property
    def address(self) -> str:
        return "this machine"

    @property
    def root(self) -> str:
        return "$HOME/.local/share/buildtool"  # ~/buildtool may be a clone

    @property
    def environment(self) -> Mapping[str, str]:
        return inherited()

    @property
    def direct(self) -> bool:
        return False  # others use the board too, over ssh: it has a lock

    def connect(self, *, unattended: bool = False) -> None:
        pass

    def command(self, script: str, *, terminal: bool = False) -> Command:
        if not terminal:
            check_size(script, self.address)
            return [self.shell, "-c", script]
        line = f"exec {quote(self.shell)} -c {quote(script)}"
        check_size(line, self.address)
        # A terminal of its own, so that Ctrl-C ends the program only, as over ssh.
        return ["script", "--quiet", "--return", "--command", line, os.devnull]

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        return port_of_this_machine(number)

    def lost(self, status: int, messages: str) -> DeviceError:
        otherwise = "killed" if status < 0 else "no-report"
        return explain("local", "", otherwise, messages, status=str(abs(status)))


def local_device() -> Local:
    """This machine.  Raises `DeviceError` when programs for ARM64 do not run on it."""
    machine = os.uname().machine
    if machine != MACHINE and "BUILDTOOL_EXEC" not in os.environ:
        raise DeviceError(
            "this machine is not an ARM64 system, so it cannot be a device",
            why=f"uname -m prints {machine}",
            remedy="Run programs on the emulated device: buildtool run sim. A board in the network"
            " is another machine: buildtool devices add NAME --ssh HOST",
        )
    return Local()
