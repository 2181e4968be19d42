"""Writes what a program did as a trace for Perfetto: its threads, those of the DSP, and counts.

The field numbers of the messages are those of protos/perfetto/trace in github.com/google/perfetto.
"""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from buildtool.core.escape import escape
from buildtool.core.events import ProgramTraced
from buildtool.run.trace.calls import Slice, mapped_bytes, slices_of
from buildtool.run.trace.records import MAX_TIME, Record, Recording, parse_recording

if TYPE_CHECKING:
    from buildtool.project.model import Project
    from buildtool.run.trace.calls import Argument

REALTIME, MONOTONIC, BOOTTIME = 1, 3, 6
"""Clocks (BuiltinClock)."""
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4
"""TrackEvent.Type."""
UNIT_SIZE_BYTES = 3
"""CounterDescriptor.Unit."""
VARINT, FIXED64, BYTES = 0, 1, 2
"""Wire types."""
SEQUENCE = 1
MASK = (1 << 64) - 1
_SMALL = [bytes([value]) for value in range(0x80)]
# `logcat -v time -v epoch`: 1732699200.123 I/adsprpc(  7): text; `journalctl -o short-unix`:
# 1732699200.123456 host program[7]: text
_LOG_LINE = r"(?m)^ *(\d{1,10})\.(\d{1,9}) +(?:\S+ \S+\[\d+\]: )?(.*)$"


def varint(value: int) -> bytes:
    """An integer of at most 64 bits; negative ones as their two's complement."""
    if 0 <= value <= 0x7F:
        return _SMALL[value]
    value &= MASK
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def number(field: int, value: int) -> bytes:
    """A field that is an integer."""
    return varint(field << 3 | VARINT) + varint(value)


def fixed(field: int, value: int) -> bytes:
    """A field that is an integer of 8 bytes."""
    return varint(field << 3 | FIXED64) + struct.pack("<Q", value & MASK)


def message(field: int, data: bytes) -> bytes:
    """A field that is a message."""
    return varint(field << 3 | BYTES) + varint(len(data)) + data


@lru_cache(maxsize=1 << 12)
def text(field: int, data: str) -> bytes:
    """A field that is a text; most of them are in many packets."""
    return message(field, data.encode(errors="replace"))


class TraceWriter:
    """Collects the packets of a trace.  Times are nanoseconds of CLOCK_MONOTONIC here."""

    def __init__(self, clocks: Mapping[int, int]) -> None:
        """`clocks` are readings of clocks of one moment."""
        self._packets: list[bytes] = []
        self._tracks = 0
        snapshot = b"".join(
            message(1, number(1, clock) + number(2, time)) for clock, time in clocks.items()
        )
        self._packet(message(6, snapshot))

    def data(self) -> bytes:
        """The trace."""
        return b"".join(self._packets)

    def process(self, name: str, pid: int) -> int:
        """A new track for the process `pid`."""
        return self._track(message(3, number(1, pid) + text(6, name)))

    def thread(self, name: str, pid: int, tid: int) -> int:
        """A new track for a thread of a process that has a track."""
        return self._track(message(4, number(1, pid) + number(2, tid) + text(5, name)))

    def track(self, name: str, parent: int = 0) -> int:
        """A new track below the track `parent`."""
        return self._track(text(2, name) + (number(5, parent) if parent else b""))

    def counter(self, name: str, parent: int, *, in_bytes: bool = False, unit: str = "") -> int:
        """A new track of values, in bytes or in a unit with a name."""
        how = number(3, UNIT_SIZE_BYTES) if in_bytes else text(6, unit)
        return self._track(text(2, name) + number(5, parent) + message(8, how))

    def values(self, track: int, values: Sequence[tuple[int, int]]) -> None:
        """The values of a counter, each with its time."""
        for time, value in values:
            self._event(time, number(9, COUNTER) + number(11, track) + number(30, value))

    def slices(self, track: int, slices: Sequence[Slice]) -> None:
        """Slices that are sorted and nested, as `calls.nested` does."""
        ends: list[int] = []
        on_track = number(11, track)
        for each in slices:
            while ends and ends[-1] <= each.start:
                self._event(ends.pop(), number(9, SLICE_END) + on_track)
            kind = INSTANT if each.instant else SLICE_BEGIN
            event = number(9, kind) + on_track + text(23, each.name)
            if each.leads:
                event += fixed(47, each.leads)
            if each.follows:
                event += fixed(48, each.follows)
            for name, value in each.arguments.items():
                event += message(4, text(10, name) + _value(value))
            self._event(each.start, event)
            if not each.instant:
                ends.append(each.end)
        while ends:
            self._event(ends.pop(), number(9, SLICE_END) + on_track)

    def _track(self, descriptor: bytes) -> int:
        self._tracks += 1
        self._packet(message(60, number(1, self._tracks) + descriptor))
        return self._tracks

    def _event(self, time: int, event: bytes) -> None:
        self._packet(number(8, time) + number(58, MONOTONIC) + message(11, event))

    def _packet(self, fields: bytes) -> None:
        self._packets.append(message(1, fields + number(10, SEQUENCE)))


def _value(value: Argument) -> bytes:
    return text(6, value) if isinstance(value, str) else number(4, value)


def write_program(
    writer: TraceWriter,
    program: ProgramTraced,
    project: Project,
    clocks: Mapping[int, int],
    arrows: int,
) -> int:
    """Write the tracks of `program`; `clocks` are readings of clocks of one moment here.  Its
    arrows have numbers above `arrows`; returns the highest one."""
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


METERS = (("DSP load", "%"), ("DSP clock", "kHz"), ("DSP HVX", "%"), ("DSP HMX", "%"))
"""The counters of the DSP's meters, and their units; the temperature follows."""


def write_clocks(
    writer: TraceWriter,
    device: str,
    programs: Sequence[ProgramTraced],
    clocks: Mapping[int, int],
) -> None:
    """Write counters of the clocks of `device`, which ran `programs`, of its temperature, and of
    its DSP's meters."""
    counters: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for program in programs:
        for time, of_clusters, temperature in program.samples:
            for cluster, clock in enumerate(of_clusters):
                counters.setdefault((f"CPU cluster {cluster}", "kHz"), []).append((time, clock))
            if temperature:
                counters.setdefault(("temperature", "m°C"), []).append((time, temperature))
        shift = -program.ahead - (clocks[REALTIME] - clocks[MONOTONIC])
        for at, load, clock, hvx, hmx, heat in program.meters:
            values = (load // 100, clock, hvx // 100, hmx // 100)
            rows = [*zip(METERS, values, strict=True), *[(("DSP temperature", "m°C"), heat)][:heat]]
            for key, value in rows if at + shift > 0 else ():
                counters.setdefault(key, []).append((at + shift, value))
    parent = writer.track(device) if counters else 0
    for (name, unit), rows_of in counters.items():
        writer.values(writer.counter(name, parent, unit=unit), rows_of)


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
