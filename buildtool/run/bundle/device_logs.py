"""The logs of a device around a run, in one exchange with it."""

from __future__ import annotations

import contextlib
import math
import re
import secrets

from buildtool.core.value import Value
from buildtool.deploy.ready import Ready
from buildtool.device.facts_parts import Parts, parse_parts
from buildtool.device.script import script

MAX_LOG = 1 << 18
"""Bytes of the end of each log that are fetched."""
READ_SECONDS = 30.0
MARGIN_SECONDS = 5
"""How long before the program the messages of the kernel begin that are kept."""
_STAMP = re.compile(rb"(?:<\d{1,3}>)?\[ *(\d{1,9})\.\d+\]")


class DeviceLogs(Value):
    """The ends of logs by name, and why others are missing."""

    logs: dict[str, bytes]
    missing: dict[str, str]


def read_logs(ready: Ready, run: str, seconds: float) -> DeviceLogs:
    """The logs of the device of `ready`: of the DSP (if the run kept it), of Android, and of the
    kernel, from `seconds` ago on.

    Raises `DeviceError` when the device does not answer.
    """
    fence = f"[{secrets.token_hex(16)}]"
    ago = math.ceil(seconds) + MARGIN_SECONDS
    variables = {
        "fence": fence,
        "log": f"{ready.site.project}/logs/{run}",
        "limit": str(MAX_LOG),
        "seconds": str(ago),
    }
    text = f"{script('parts', 'bundle')}\npart end"
    parts = parse_parts(ready.site.device.exec(text, variables, timeout=READ_SECONDS).stdout, fence)
    if parts is None:
        return DeviceLogs({}, {"logs of the device": "its shell did not print all of them"})
    logs = {
        f"{name}.log": parts.texts[name][:MAX_LOG].rstrip(b"\n") + b"\n"
        for name in ("dsp", "logcat")
        if parts.texts.get(name, b"").strip()
    }
    missing = {}
    kernel = parts.texts.get("kernel", b"").strip(b"\n")
    if kernel in (b"", b"unreadable"):
        missing["kernel.log"] = "the user of the device may not read the messages of its kernel"
    else:
        logs["kernel.log"] = _since(kernel + b"\n", _uptime(parts) - ago)
    if logs.get("kernel.log") == b"":
        missing["kernel.log"] = "the kernel printed nothing while the program ran"
        del logs["kernel.log"]
    if ready.site.boot and parts.text("boot") not in ("", ready.site.boot):
        missing["logs from before the restart"] = "the device has restarted since it was prepared"
    return DeviceLogs(logs, missing)


def _uptime(parts: Parts) -> float:
    with contextlib.suppress(ValueError, IndexError):
        return float(parts.text("uptime").split()[0])
    return math.inf


def _since(messages: bytes, start: float) -> bytes:
    """The messages from the first one on whose time stamp, in seconds since the boot, is not
    before `start`; all of them if none has a time stamp or the time is unknown."""
    lines = messages.splitlines(keepends=True)
    stamps = [int(found[1]) if (found := _STAMP.match(line)) else None for line in lines]
    if start == math.inf or not any(stamp is not None for stamp in stamps):
        return messages
    rows = enumerate(stamps)
    first = next((n for n, stamp in rows if stamp is not None and stamp >= start), len(lines))
    return b"".join(lines[first:])
