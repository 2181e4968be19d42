"""The emulated device as a transport: scripts run in a shell of this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.device.transports.local import port_of_this_machine
from buildtool.device.transports.transport import Command

if TYPE_CHECKING:
    from socket import socket


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
