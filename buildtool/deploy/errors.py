"""The errors of devices."""

from __future__ import annotations

from buildtool.core.errors import BuildtoolError


class DeviceError(BuildtoolError):
    """The device cannot do what it is asked for."""

    code = "device"


class DeviceConnectionError(DeviceError):
    """The device cannot be reached, or the connection to it was lost."""

    code = "connection"
