"""The trace of a command: what its stages do, and what its programs ask of the DSP."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

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
from buildtool.core.files import write_if_changed
from buildtool.core.output_file import check_output_file
from buildtool.run.run import new_run
from buildtool.run.trace.backends import write_backends
from buildtool.run.trace.calls import Argument, Slice, nested
from buildtool.run.trace.perfetto import BOOTTIME, MONOTONIC, REALTIME, TraceWriter
from buildtool.run.trace.programs import write_clocks, write_program

if TYPE_CHECKING:
    from buildtool.project.model import Project

FOLDER = "traces"
"""The directory of traces in the project's `.buildtool`."""
KEPT = 20
SUFFIX = ".pftrace"


@contextlib.contextmanager
def traced(project: Project, file: Path | None, listener: Listener) -> Iterator[TraceRecorder]:
    """Record what happens in the block, which gets a listener for it, and write a trace after it,
    also when it raises an error: as `file`, by default as a new file in the project's `.buildtool`.

    Raises `UsageError` when `file` cannot be replaced, and `OSError`.
    """
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
            write_clocks(writer, device, [p for p in self._programs if p.device == device])
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
