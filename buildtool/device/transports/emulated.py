"""The emulated device as a transport: scripts run in a shell of this machine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError, DeviceError
from buildtool.device.transports.transport import Command

if TYPE_CHECKING:
    from socket import socket

NOT_THERE = ("LD_PRELOAD", "BUILDTOOL_DSP_ARCH")
"""Variables of this process that are not for programs on a device."""


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
