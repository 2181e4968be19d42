"""This machine as a device: scripts run in a shell of its own, as a login over ssh runs them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.errors import DeviceError, explain
from buildtool.device.transports.transport import (
    Command,
    check_size,
    inherited,
    port_of_this_machine,
    quote,
)

if TYPE_CHECKING:
    from socket import socket

MACHINE = "aarch64"


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
