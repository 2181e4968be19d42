"""What backends print about each operator that they have run on the DSP, as slices.

ggml-hexagon of llama.cpp does so with GGML_HEXAGON_PROFILE and --verbose (source:
ggml/src/ggml-hexagon/ggml-hexagon.cpp, its lines `profile-op` of all releases, and `trace-evt`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from buildtool.core.escape import escape
from buildtool.core.events import BackendPrinted, Listener
from buildtool.core.value import Value
from buildtool.run.trace.calls import Argument, Slice, nested
from buildtool.run.trace.perfetto import TraceWriter

MARKS = (b" profile-op ", b" trace-evt ")
MAX_LINE = 4096
_OPERATOR = re.compile(
    r"ggml-hex: (\S{1,80}) profile-op ([^|:]{1,200})[|:](.*?)"
    r"[|:] ?(?:op-)?usec (\d{1,10}) (?:op-)?cycles (\d{1,10})(?: start (\d{1,10}))?"
)
_EVENT = re.compile(
    r"ggml-hex: (\S{1,80}) trace-evt (\w{1,80}): thread (\d{1,4}) info (\d{1,6})"
    r" (start|stop) (\d{1,10})"
)
BATCH = "OPBATCH"
"""The operator that stands for all that follow."""
CYCLES = 1 << 32
"""Where the counter begins again."""


def reporting(
    write: Callable[[bytes], None], device: str, listener: Listener
) -> Callable[[bytes], None]:
    """`write`, with which `listener` also gets the lines that describe operators."""
    rest = b""

    def report(data: bytes) -> None:
        nonlocal rest
        write(data)
        now = time.monotonic_ns()
        *lines, rest = (rest + data).split(b"\n")
        rest = rest[-MAX_LINE:]
        for line in lines:
            if any(mark in line for mark in MARKS):
                text = line[:MAX_LINE].decode(errors="replace")
                listener(BackendPrinted(device, now, text))

    return report


class _Group(Value):
    """Operators whose places are known relative to the first one: its time of arrival, its cycles,
    and nanoseconds per cycle.  A slice is on the track of its session or of one of its threads."""

    at: int
    cycles: int
    rate: float
    slices: list[tuple[str, Slice]]

    def time(self, cycles: int) -> int:
        return round((cycles - self.cycles) % CYCLES * self.rate)


def write_backends(writer: TraceWriter, device: str, lines: Sequence[BackendPrinted]) -> None:
    """Write a track for each session of a backend on `device`, and for each of its threads."""
    tracks: dict[str, list[Slice]] = {}
    for groups in _groups(lines).values():
        following = groups[-1].at
        for group in reversed(groups):
            longest = max(each.end for _, each in group.slices)
            following = min(group.at, following) - longest
            for track, each in group.slices:
                moved = each._replace(start=each.start + following, end=each.end + following)
                tracks.setdefault(track, []).append(moved)
    parent = writer.track(f"operators on {device}") if tracks else 0
    for track, slices in sorted(tracks.items()):
        whole = [each for each in slices if each.start > 0]
        writer.slices(writer.track(escape(track), parent), nested(whole))


def _groups(lines: Sequence[BackendPrinted]) -> dict[str, list[_Group]]:
    sessions: dict[str, list[_Group]] = {}
    begun: dict[tuple[int | str, ...], int] = {}
    for line in lines:
        if found := _OPERATOR.search(line.text):
            session, name, what, usec, cycles, start = found.groups()
            long = int(usec) * 1000
            groups = sessions.setdefault(session, [])
            batched = groups and groups[-1].slices[0][1].name == BATCH
            if not (groups and start) or name == BATCH or not (batched or groups[-1].at == line.at):
                rate = long / (int(cycles) or 1)
                groups.append(_Group(line.at, int(start or 0), rate, []))
            at = groups[-1].time(int(start)) if start else 0
            given: dict[str, Argument] = {"cycles": int(cycles), "operands": escape(what.strip())}
            groups[-1].slices.append((session, Slice(at, at + long, escape(name), given)))
        elif (found := _EVENT.search(line.text)) and found[1] in sessions:
            session, name, thread, info, edge, cycles = found.groups()
            at = sessions[session][-1].time(int(cycles))
            key = (len(sessions[session]), session, name, thread, info)
            if edge == "start":
                begun[key] = at
            elif key in begun:
                track = f"{session} thread {thread}"
                each = Slice(begun.pop(key), at, name)
                if each.start <= at:
                    sessions[session][-1].slices.append((track, each))
    return sessions
