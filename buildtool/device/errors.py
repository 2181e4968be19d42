"""What goes wrong with devices: errors, findings of checks, failures of ssh and adb."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import escape
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.devices import DeviceFindingObject
MAX_LINES = 8
MAX_COLUMNS = 300


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


class DeviceFinding(Value):
    """Something that was checked.

    `name` is that of the check; `remedy` is what to do, "" if everything is as it should be.
    """

    name: str
    what: str
    remedy: str = ""

    def as_json(self) -> DeviceFindingObject:
        ok = not self.remedy
        return {"ok": ok, "name": self.name, "what": self.what, "remedy": self.remedy}


class KnownFailure(Value):
    """A known failure, and what to do next; `pattern` finds it in messages, regardless of case.

    {device} and {command} in the texts stand for the device, and for a command with which the user
    can check whether it can be reached.
    """

    pattern: str
    happened: str
    remedy: str


def explain(
    messages: str, failures: Iterable[KnownFailure], otherwise: KnownFailure, **names: str
) -> DeviceConnectionError:
    """The error of the first of `failures` whose pattern is in the last lines of `messages`.

    Without one it is that of `otherwise`, whose pattern is the reason.
    """
    lines = last_lines(messages)
    flags = re.IGNORECASE | re.MULTILINE
    found = next((f for f in failures if re.search(f.pattern, lines, flags)), None)
    reason = "" if found else otherwise.pattern.format(**names)
    meant = found or otherwise
    return DeviceConnectionError(
        meant.happened.format(**names),
        why="\n".join(filter(None, [reason, lines])),
        remedy=meant.remedy.format(**names),
    )


def last_lines(messages: str) -> str:
    """The last lines of `messages`, shortened, without empty lines and control characters."""
    lines = [line for line in map(str.strip, messages.splitlines()) if line]
    return "\n".join(escape(line[:MAX_COLUMNS]) for line in lines[-MAX_LINES:])
