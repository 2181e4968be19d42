"""The reports that the emulated device writes when a skel or the program crashes, or a call takes
long.

Each is a line `@crash {JSON}`, written by `emulator/shell/report.c`, `@running {JSON}` for a
call that takes long, or `@qf {JSON}` for an instruction that loses a qf number: `pc` is where, `lr`
where that number was written, and `entry` where it was copied.  `emulator/cdsprpc/crashes.c`
writes one of the kind "process" for a process that has written none, and `program_crash.c` there
one of the kind "program" for a crash on the ARM64 side.  The program that runs on the
device can write into the same file, so nothing in it is trusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.value import Value

MARK = "@crash "
MARK_OF_LONG_CALLS = "@running "
MARK_OF_QF = "@qf "
MAX_BYTES = 1 << 18  # of the file that is read
MAX_REPORTS = {MARK: 8, MARK_OF_LONG_CALLS: 8, MARK_OF_QF: 100}
MAX_FRAMES = 64
_MODULE = re.compile(r"[\w.+-]{1,255}\Z", re.ASCII)
_BUILD_ID = re.compile(r"[0-9a-f]{40}\Z")


class StackFrame(Value):
    """A place in the code of a module: its link-time address there, None if that is not known.
    `build_id` is hex, or "".  `symbol` is what the device calls it, such as "scale+0x1c", or ""."""

    module: str
    offset: int | None
    build_id: str
    symbol: str = ""


class Region(Value):
    """The memory to which the address of a crash belongs.

    `kind` is "in" or "out" for the argument `number` of a call, "heap", "shared", or "stack"; on
    the ARM64 side "rpcmem", whose descriptor is `number`, and which the call before `allocated`
    returned.
    `distance` is how many bytes outside of it the address is: positive past the end, negative
    before the start; `inside` is the offset from its start.  `gone`: it is freed, or the call has
    returned.
    """

    kind: str
    size: int
    gone: bool
    number: int
    method: int
    distance: int
    inside: int
    allocated: StackFrame | None = None


class CrashReport(Value):
    """One crash.  `pc` is where it happened, `lr` the link register there, `frames` the return
    addresses on the stack, the newest first.  `skel` is "" in a thread that a skel created, and on
    the ARM64 side.  `entry` is the function of the skel that was called, if the crash was found
    after its return."""

    kind: str
    phrase: str
    skel: str
    method: int
    region: Region | None
    pc: StackFrame | None
    lr: StackFrame | None
    frames: tuple[StackFrame, ...]
    entry: StackFrame | None = None


def read_crash_reports(path: Path, mark: str = MARK) -> tuple[CrashReport, ...]:
    """The reports in a file that begin with `mark`; lines that are not reports are left out."""
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    lines = [line[len(mark) :] for line in text.split("\n") if line.startswith(mark)]
    return tuple(filter(None, map(parse_crash_report, lines[: MAX_REPORTS[mark]])))


def parse_crash_report(text: str) -> CrashReport | None:
    """The report in a line of JSON, or None."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    frames = document.get("frames")
    found = map(_frame, frames[:MAX_FRAMES] if isinstance(frames, list) else [])
    return CrashReport(
        kind=_word(document, "kind"),
        phrase=_word(document, "text"),
        skel=_word(document, "skel"),
        method=_number(document, "method"),
        region=_region(document.get("region")),
        pc=_frame(document.get("pc")),
        lr=_frame(document.get("lr")),
        frames=tuple(filter(None, found)),
        entry=_frame(document.get("entry")),
    )


def _frame(value: object) -> StackFrame | None:
    if not isinstance(value, dict):
        return None
    module, build_id = _word(value, "module"), _word(value, "build_id")
    if not _MODULE.match(module):
        return None
    return StackFrame(
        module, _number(value, "offset"), build_id if _BUILD_ID.match(build_id) else ""
    )


def _region(value: object) -> Region | None:
    if not isinstance(value, dict):
        return None
    return Region(
        kind=_word(value, "kind"),
        size=_number(value, "size"),
        gone=value.get("gone") is True,
        number=_number(value, "index"),
        method=_number(value, "method"),
        distance=_number(value, "distance"),
        inside=_number(value, "inside"),
        allocated=_frame(value.get("allocated")),
    )


def _word(document: Mapping[str, object], key: str) -> str:
    value = document.get(key)
    return value[:300] if isinstance(value, str) and value.isprintable() else ""


def _number(document: Mapping[str, object], key: str) -> int:
    value = document.get(key)
    usable = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 40
    return value if usable and isinstance(value, int) else 0
