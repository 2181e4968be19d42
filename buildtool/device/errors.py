"""The errors of devices."""

from __future__ import annotations

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import escape


class DeviceError(BuildtoolError):
    """The device cannot do what it is asked for."""

    code = "device"


class DeviceConnectionError(DeviceError):
    """The device cannot be reached, or the connection to it was lost."""

    code = "connection"


def foreign(device: str, path: str) -> DeviceError:
    """The error for the report `foreign`: the script does not touch what is at `path`."""
    shown = escape(path)
    return DeviceError(
        f"there is something else in the place of {shown} on {device}",
        why="buildtool makes only files and directories there; a link would lead elsewhere",
        remedy=f"Remove it: {shown}",
    )
