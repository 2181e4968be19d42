"""Devices that are held for the processes that a command starts."""

from __future__ import annotations

import contextlib

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener
from buildtool.device.configuration import open_device
from buildtool.device.sharing.lock import DeviceLock
from buildtool.project.model import Project


class ReservedDevices(contextlib.ExitStack):
    """A context manager that holds the locks of the devices that `reserve` reserves for `purpose`.

    `locks` are the locks by the names of devices; their `environment` is for the processes.
    """

    def __init__(self, project: Project | None, purpose: str, listener: Listener) -> None:
        super().__init__()
        self.locks: dict[str, DeviceLock] = {}
        self._project = project
        self._purpose = purpose
        self._listener = listener

    def reserve(self, name: str) -> str:
        """Hold the lock of the device `name`; returns "", or why it cannot be held now."""
        device = None
        try:
            device = open_device(name, self._project)
            device.transport.connect()
            lock = self.enter_context(DeviceLock(device, self._purpose, self._listener))
            lock.hold()
        except BuildtoolError as error:
            if device:
                device.leave()
            return error.message
        self.locks[name] = lock
        return ""
