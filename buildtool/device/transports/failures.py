"""The meaning of the messages of ssh, adb and devices' shells."""

from __future__ import annotations

import re
from collections.abc import Iterable

from buildtool.core.escape import escape
from buildtool.core.value import Value
from buildtool.device.errors import DeviceConnectionError

MAX_LINES = 8
MAX_COLUMNS = 300


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
