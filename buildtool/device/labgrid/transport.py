"""A device whose place in a lab is acquired while this process uses it, over ssh or adb."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING

from buildtool.core.events import Listener
from buildtool.device.configuration import ConfiguredDevice
from buildtool.device.errors import DeviceError
from buildtool.device.labgrid.hold import Hold, held_place, leave_place, lifeline_of
from buildtool.device.labgrid.labgrid_python import ListedPlace, find_labgrid
from buildtool.device.labgrid.place import Resources
from buildtool.device.transports.transport import Command, Transport

if TYPE_CHECKING:
    from socket import socket


class PlaceTransport:
    """The transport that `opened` makes for `configured`, the device called `device`.

    The place called `name` gives the address if there is none.  Others have `wait` seconds to
    release the place.
    """

    def __init__(
        self,
        name: str,
        device: str,
        configured: ConfiguredDevice,
        opened: Callable[[ConfiguredDevice], Transport],
        *,
        wait: float,
        listener: Listener,
    ) -> None:
        self._name, self._configured, self._opened = name, configured, opened
        # Others have the lock of the device when nothing of this process runs there any more.
        lock = [sys.executable, "-P", "-m", "buildtool", "devices", "lock", device]
        last = (*lock, "--wait", "1m", "--", "true")
        self._python = find_labgrid()
        self._acquire = partial(Hold, self._python, name, last, wait=wait, listener=listener)
        self._reached: Transport | None = None
        # Without an address of the device, to find out what does not depend on it.
        self._any = opened(configured._replace(address=configured.address or name))

    @property
    def address(self) -> str:
        return f"labgrid {self._name}"

    @property
    def root(self) -> str:
        return self._any.root

    @property
    def environment(self) -> Mapping[str, str]:
        return self._any.environment

    @property
    def direct(self) -> bool:
        return False

    def connect(self, *, unattended: bool = False) -> None:
        self._held().connect(unattended=unattended)

    def command(self, script: str, *, terminal: bool = False) -> Command:
        return self._held().command(script, terminal=terminal)

    def forwarded(self, number: int) -> AbstractContextManager[Callable[[], socket]]:
        return self._held().forwarded(number)

    def lost(self, status: int, messages: str) -> DeviceError:
        return (self._reached or self._any).lost(status, messages)

    def leave(self) -> None:
        """Let the place be released, if this process holds it."""
        leave_place(self._name)

    @property
    def lifeline(self) -> int | None:
        """A descriptor for processes that use the device for this one: see `lifeline_of`."""
        return lifeline_of(self._name)

    def listed_place(self) -> ListedPlace:
        """The place as the coordinator lists it, whoever holds it.  Raises `LabgridError`."""
        return self._python.places().get(self._name, ListedPlace("", ()))

    def _held(self) -> Transport:
        """The transport to the device, whose place this process holds."""
        hold = held_place(self._name, self._acquire)
        if not self._reached:
            self._reached = self._opened(_addressed(self._configured, hold.resources))
        return self._reached


def _addressed(device: ConfiguredDevice, found: Resources) -> ConfiguredDevice:
    if device.address:
        return device
    if device.transport == "ssh":
        address, port = found.ssh_address()
        return device._replace(address=address, port=device.port or port)
    serial, server = found.adb_address()
    return device._replace(address=serial, adb_server=device.adb_server or server)
