"""The trace of a command: what its stages do, and what its programs ask of the DSP.

What backends print about each operator that they have run on the DSP, as slices.

ggml-hexagon of llama.cpp does so with GGML_HEXAGON_PROFILE and --verbose (source:
ggml/src/ggml-hexagon/ggml-hexagon.cpp, its lines `profile-op` of all releases, and `trace-evt`).
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.core.escape import escape
from buildtool.core.events import (
    BackendPrinted,
    BuildFinished,
    BuildStarted,
    Event,
    Listener,
    Note,
    ProgramTraced,
    PushFinished,
    StepFinished,
    StepStarted,
    TestFinished,
)
from buildtool.core.files import check_output_file, write_if_changed
from buildtool.core.value import Value
from buildtool.project.model import Project
from buildtool.run.session import new_run
from buildtool.run.trace.calls import Argument, Slice, nested
from buildtool.run.trace.perfetto import (
    BOOTTIME,
    MONOTONIC,
    REALTIME,
    TraceWriter,
    write_clocks,
    write_program,
)

FOLDER = "traces"
"""The directory of traces in the project's `.buildtool`."""
KEPT = 20
SUFFIX = ".pftrace"
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


@contextlib.contextmanager
def traced(project: Project, file: Path | None, listener: Listener) -> Iterator[TraceRecorder]:
    """Record what happens in the block, which gets a listener for it, and write a trace after it,
    also when it raises an error: as `file`, by default as a new file in the project's `.buildtool`.
    Raises `UsageError` when `file` cannot be replaced, and `OSError`."""
    if file:
        check_output_file("--trace-file", file, f"run{SUFFIX}")
    record = TraceRecorder(project, file, listener)
    try:
        yield record
    finally:
        write_if_changed(record.file, record.trace())
        if not file:
            for old in sorted(record.file.parent.glob(f"*{SUFFIX}"))[:-KEPT]:
                old.unlink(missing_ok=True)
        listener(Note(f"trace: {record.file} (open it in https://ui.perfetto.dev)"))


class TraceRecorder:
    """A listener that keeps when steps and programs began and ended; several threads may share
    it.  `file` is where the trace will be."""

    def __init__(self, project: Project, file: Path | None, listener: Listener) -> None:
        self.file = file or project.state / FOLDER / f"{new_run()}{SUFFIX}"
        self._project = project
        self._listener = listener
        self._lock = threading.Lock()
        self._begun: dict[str, int] = {}
        self._commands: list[Slice] = []
        self._steps: list[Slice] = []
        self._programs: list[ProgramTraced] = []
        self._backends: dict[str, list[BackendPrinted]] = {}
        self._clocks = {
            MONOTONIC: time.monotonic_ns(),
            REALTIME: time.time_ns(),
            BOOTTIME: time.clock_gettime_ns(time.CLOCK_BOOTTIME),
        }

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._keep(event, time.monotonic_ns())
        self._listener(event)

    def _keep(self, event: Event, now: int) -> None:
        match event:
            case BuildStarted():
                self._begun[""] = now
            case BuildFinished():
                self._commands.append(Slice(self._begun.pop("", now), now, "build"))
            case StepStarted(name):
                self._begun[name] = now
            case StepFinished(name, outcome, seconds) | TestFinished(name, outcome, seconds):
                start = self._begun.pop(name, now - round(seconds * 1e9))
                self._steps.append(Slice(start, now, name, {"outcome": str(outcome)}))
            case PushFinished(files, size, seconds):
                given: dict[str, Argument] = {"files": files, "bytes": size}
                start = now - round(seconds * 1e9)
                self._commands.append(Slice(start, now, "push", given))
            case ProgramTraced():
                self._programs.append(event)
                given = {"device": event.device}
                self._commands.append(Slice(event.started, event.ended, event.program, given))
            case BackendPrinted(device):
                self._backends.setdefault(device, []).append(event)
            case Note(text):
                self._commands.append(Slice(now, now, text, instant=True))

    def trace(self) -> bytes:
        """The trace of what has happened so far."""
        writer = TraceWriter(self._clocks)
        own = writer.process("buildtool", os.getpid())
        writer.slices(writer.track("stages", own), nested(self._commands))
        for number, lane in enumerate(_lanes(self._steps), 1):
            writer.slices(writer.track(f"steps {number}", own), lane)
        arrows = 0
        for program in self._programs:
            arrows = write_program(writer, program, self._project, self._clocks, arrows)
        for device in sorted({program.device for program in self._programs}):
            own_programs = [p for p in self._programs if p.device == device]
            write_clocks(writer, device, own_programs, self._clocks)
        for device, lines in self._backends.items():
            write_backends(writer, device, lines)
        return writer.data()


def _lanes(slices: Iterable[Slice]) -> list[list[Slice]]:
    """The slices in as few rows as necessary: those of a row do not overlap."""
    lanes: list[list[Slice]] = []
    for step in sorted(slices, key=lambda each: each.start):
        each = step._replace(end=max(step.end, step.start + 1))
        free = next((lane for lane in lanes if lane[-1].end <= each.start), None)
        if free is None:
            lanes.append([each])
        else:
            free.append(each)
    return lanes


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
