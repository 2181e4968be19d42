"""The logs of a device around a run, in one exchange with it; and what those of its DSP say about a
crash of the program's process there."""

from __future__ import annotations

import contextlib
import math
import posixpath
import re
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING

from buildtool.core.escape import escape
from buildtool.core.value import Value
from buildtool.deploy.contents import Site
from buildtool.deploy.ready import Ready
from buildtool.device.errors import DeviceError
from buildtool.device.script import Parts, parse_parts, script
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.run.on_device import RunResult

MAX_LOG = 1 << 18
"""Bytes of the end of each log that are fetched."""
READ_SECONDS = 30.0
MARGIN_SECONDS = 5
"""How long before the program the messages of the kernel begin that are kept."""
RESTARTED = "the device has restarted since it was prepared"
_STAMP = re.compile(rb"(?:<\d{1,3}>)?\[ *(\d{1,9})\.\d+\]")
NAME_CHARACTERS = 15
"""Of a program's name that processes on the DSP have: that of the Linux kernel for its process."""
FIND = 'grep -F -- "$1" "$2"'
READ = 'tail -c "$1" "$2"'


class DeviceLogs(Value):
    """The ends of logs by name, and why others are missing."""

    logs: dict[str, bytes]
    missing: dict[str, str]


def read_logs(ready: Ready, run: str, program: str, seconds: float) -> DeviceLogs:
    """The logs of the device of `ready` of the last `seconds`: of the DSP (if the run kept it), of
    Android, of `program` in the system's journal, and of the kernel.  Raises `DeviceError` when the
    device does not answer."""
    fence = f"[{secrets.token_hex(16)}]"
    variables = {"fence": fence, **log_variables(ready, run, program, seconds)}
    text = f"{script('parts', 'logs')}\npart end"
    parts = parse_parts(ready.site.device.exec(text, variables, timeout=READ_SECONDS).stdout, fence)
    if parts is None:
        return DeviceLogs({}, {"logs of the device": "its shell did not print all of them"})
    return logs_in(parts, ready, seconds)


def log_variables(ready: Ready, run: str, program: str, seconds: float) -> dict[str, str]:
    """The variables of the script logs.sh."""
    return {
        "log": f"{ready.site.project}/logs/{run}",
        "log_limit": str(MAX_LOG),
        "seconds": str(_ago(seconds)),
        "program": posixpath.basename(program),
    }


def logs_in(parts: Parts, ready: Ready, seconds: float) -> DeviceLogs:
    """The logs in the output of logs.sh; `seconds` are those of `log_variables`."""
    logs = {
        f"{name}.log": text[:MAX_LOG].rstrip(b"\n") + b"\n"
        for name in ("dsp", "logcat", "journal")
        if (text := parts.texts.get(f"log-{name}", b"")).strip()
    }
    missing = {}
    kernel = parts.texts.get("log-kernel", b"").strip(b"\n")
    if kernel in (b"", b"unreadable"):
        missing["kernel.log"] = "the user of the device may not read the messages of its kernel"
    else:
        logs["kernel.log"] = _since(kernel + b"\n", _uptime(parts) - _ago(seconds))
    if logs.get("kernel.log") == b"":
        missing["kernel.log"] = "the kernel printed nothing while the program ran"
        del logs["kernel.log"]
    if ready.site.boot and parts.text("log-boot") not in ("", ready.site.boot):
        missing["logs from before the restart"] = RESTARTED
    return DeviceLogs(logs, missing)


def _ago(seconds: float) -> int:
    return math.ceil(seconds) + MARGIN_SECONDS


def _uptime(parts: Parts) -> float:
    with contextlib.suppress(ValueError, IndexError):
        return float(parts.text("log-uptime").split()[0])
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


def logged_crash(site: Site, run: str, program: str) -> str:
    """How the process of `program` on the DSP crashed in `run`, in a line; "" if its log, which is
    kept with `--farf`, does not say so or cannot be read.

    A line of it is: Process "/frpc/f05afd00 NAME" crashed in thread "worker" due to ….
    """
    mark = f' {posixpath.basename(program)[:NAME_CHARACTERS]}" crashed '
    log = f"{site.project}/logs/{run}/dsp.log"
    with contextlib.suppress(DeviceError):  # the program has ended well; the log is an extra
        found = site.device.exec(FIND, {}, [mark, log]).stdout.decode(errors="replace")
        if line := found.partition("\n")[0]:
            return f"the DSP process crashed: {escape(line.partition(mark)[2].strip())}"
    return ""


def explain_kept_log(project: Project, ready: Ready, result: RunResult) -> tuple[str, ...]:
    """The texts of `explain_logged_crashes` for the log that a run with `--farf` has kept."""
    log = f"{ready.site.project}/logs/{result.run}/dsp.log"
    try:
        read = ready.site.device.exec(READ, {}, [str(MAX_LOG), log]).stdout
    except DeviceError:  # the program has ended; the explanation is an extra
        return ()
    return explain_logged_crashes(project, ready, result.command[0], {"dsp.log": read})


def explain_logged_crashes(
    project: Project, ready: Ready, program: str, logs: Mapping[str, bytes]
) -> tuple[str, ...]:
    """A text of some lines for each crash of the process of `program` on the DSP that one of the
    `logs` has, with the debug information of the release."""
    from buildtool.diagnose.explain_block import crash_text, explain_block  # noqa: PLC0415
    from buildtool.diagnose.line_patterns import crashes_in_lines  # noqa: PLC0415

    process = posixpath.basename(program)[:NAME_CHARACTERS]
    debug = ready.release.debug
    directories = [debug / "dsp" / ready.deployment.arch, debug]
    return tuple(
        crash_text(explain_block(block, call, directories, project))
        for name, data in logs.items()
        for block, call in crashes_in_lines(name, data.decode(errors="replace").splitlines())
        if block.process in (process, "")
    )
