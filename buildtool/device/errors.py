"""What goes wrong with devices: errors, findings of checks, failures of ssh and adb."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from buildtool.core.errors import BuildtoolError
from buildtool.core.escape import escape
from buildtool.core.value import Described, computed

FAILURES = Path(__file__).with_name("transports") / "failures.toml"
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


class DeviceFinding(Described):
    """Something that was checked."""

    ok: Annotated[bool, "whether it is as it should be"] = computed(lambda self: not self.remedy)
    name: Annotated[str, "name of the check"]
    what: Annotated[str, "what was found"]
    remedy: Annotated[str, 'what to do about it; "" if it is as it should be'] = ""


def explain(
    program: str, kind: str, otherwise: str, messages: str, **names: str
) -> DeviceConnectionError:
    """The error of the first failure of `kind`, of those of `program` in failures.toml, whose
    pattern is in the last lines of `messages`; that of `otherwise` without one.

    `names` stand in the texts for themselves.
    """
    import tomllib  # noqa: PLC0415 - only after a failure

    known = tomllib.loads(FAILURES.read_text(encoding="utf-8"))[program]
    lines = last_lines(messages)
    flags = re.IGNORECASE | re.MULTILINE
    fitting = (f for f in known.get(kind, ()) if re.search(f["pattern"], lines, flags))
    found = next(fitting, known[otherwise])
    return DeviceConnectionError(
        found["happened"].format(**names),
        why="\n".join(filter(None, [found.get("reason", "").format(**names), lines])),
        remedy=found["remedy"].format(**names),
    )


def last_lines(messages: str) -> str:
    """The last lines of `messages`, shortened, without empty lines and control characters."""
    lines = [line for line in map(str.strip, messages.splitlines()) if line]
    return "\n".join(escape(line[:MAX_COLUMNS]) for line in lines[-MAX_LINES:])
