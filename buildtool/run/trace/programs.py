"""Writes what a program did into a trace: its threads, those of the DSP, and what is counted."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from buildtool.core.escape import escape
from buildtool.core.events import ProgramTraced
from buildtool.run.trace.calls import Slice, mapped_bytes, slices_of
from buildtool.run.trace.perfetto import MONOTONIC, REALTIME, TraceWriter
from buildtool.run.trace.records import MAX_TIME, Record, Recording, parse_recording

if TYPE_CHECKING:
    from buildtool.project.model import Project

# `logcat -v time -v epoch`: 1732699200.123 I/adsprpc(  7): text; `journalctl -o short-unix`:
# 1732699200.123456 host program[7]: text
_LOG_LINE = r"(?m)^ *(\d{1,10})\.(\d{1,9}) +(?:\S+ \S+\[\d+\]: )?(.*)$"


def write_program(
    writer: TraceWriter,
    program: ProgramTraced,
    project: Project,
    clocks: Mapping[int, int],
    arrows: int,
) -> int:
    """Write the tracks of `program`; `clocks` are readings of clocks of one moment here.

    Its arrows have numbers above `arrows`; returns the highest one.
    """
    recording = parse_recording(program.recording)
    shift = clock_shift(recording, program, clocks)
    records = [
        record._replace(start=record.start + shift, end=record.end + shift)
        for record in recording.records
        if record.start + shift > 0
    ]
    threads = slices_of(records, _names(project))
    name = posixpath.basename(program.program)
    mapped = mapped_bytes(records)
    highest = arrows
    for process in sorted({thread.process for thread in threads}):
        own = [thread for thread in threads if thread.process == process]
        title = " ".join(filter(None, (name, _incomplete(recording))))
        parent = writer.process(title, process)
        dsp = writer.track(f"DSP of {name}", parent) if any(each.dsp for each in own) else 0
        for thread in sorted(own):
            slices = [
                each._replace(
                    leads=each.leads and each.leads + arrows,
                    follows=each.follows and each.follows + arrows,
                )
                for each in threads[thread]
            ]
            highest = max([highest, *(max(each.leads, each.follows) for each in slices)])
            if thread.dsp:
                track = writer.track(f"DSP thread {thread.thread}", dsp)
            else:
                title = name if thread.thread == process else f"thread {thread.thread}"
                track = writer.thread(title, process, thread.thread)
            writer.slices(track, slices)
        if rows := mapped.get(process):
            writer.values(writer.counter("mapped for the DSP", parent, in_bytes=True), rows)
    shift = -program.ahead - (clocks[REALTIME] - clocks[MONOTONIC])
    if lines := log_lines(program.log, shift):
        writer.slices(writer.track(f"DSP log of {name}"), lines)
    return highest


def log_lines(log: bytes, shift: int) -> list[Slice]:
    """The lines of a log that have a time, as instants; `shift` makes CLOCK_REALTIME of its device
    CLOCK_MONOTONIC here."""
    lines = []
    for found in re.finditer(_LOG_LINE, log.decode(errors="replace")):
        seconds, fraction, line = found.groups()
        time = int(seconds) * 10**9 + int(fraction.ljust(9, "0")) + shift
        if 0 < time < MAX_TIME:
            lines.append(Slice(time, time, escape(line), instant=True))
    return sorted(lines, key=lambda line: line.start)


def write_clocks(writer: TraceWriter, device: str, programs: Sequence[ProgramTraced]) -> None:
    """Write counters of the clocks of `device`, which ran `programs`, and of its temperature."""
    counters: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for program in programs:
        for time, clocks, temperature in program.samples:
            for cluster, clock in enumerate(clocks):
                counters.setdefault((f"CPU cluster {cluster}", "kHz"), []).append((time, clock))
            if temperature:
                counters.setdefault(("temperature", "m°C"), []).append((time, temperature))
    parent = writer.track(device) if counters else 0
    for (name, unit), values in counters.items():
        writer.values(writer.counter(name, parent, unit=unit), values)


def clock_shift(recording: Recording, program: ProgramTraced, clocks: Mapping[int, int]) -> int:
    """What has to be added to the times of a recording, which are of CLOCK_MONOTONIC of its
    device, to get those of CLOCK_MONOTONIC here."""
    if program.same_clock or not recording.records:
        return 0
    if recording.realtime is not None:
        return recording.realtime - program.ahead - (clocks[REALTIME] - clocks[MONOTONIC])
    first: Record = min(recording.records, key=lambda record: record.start)
    return program.started - first.start


def _incomplete(recording: Recording) -> str:
    """What is to be said about a recording that is not complete."""
    said = []
    if recording.dropped:
        said.append(f"{recording.dropped:,} records dropped")
    if recording.damaged:
        said.append(f"{recording.damaged:,} records damaged")
    return f"({', '.join(said)})" if said else ""


def _names(project: Project) -> Callable[[str, int], str]:
    @cache
    def name(skel: str, method: int) -> str:
        from buildtool.diagnose.method_names import method_names  # noqa: PLC0415 - a parser

        names = method_names(project, skel, method)
        return names.name if names else ""

    return name
