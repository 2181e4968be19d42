"""The records that both sides of FastRPC write into one file during a run with `--trace`, and how
they come from the device, whose clock is related to the one here.

Their layout is that of host/include/fastrpc/bt_trace_record.h.  The file comes from a device:
nothing in it is trusted.
"""

from __future__ import annotations

import bisect
import contextlib
import re
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache, partial

from buildtool.core.escape import escape
from buildtool.core.events import Note, ProgramTraced
from buildtool.core.value import Value
from buildtool.deploy.ready import Ready
from buildtool.device.device import Device
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Clocks, parse_clocks
from buildtool.device.meters import Meter, metered
from buildtool.device.script import script

MAGIC = b"BTR2"
MAX_RECORDS = 1 << 19
"""In a file (BT_TRACE_RECORDS)."""
MAX_TIME = 1 << 62
MAX_PARTS = 20
"""Of a text (BT_TRACE_PARTS)."""
DSP_SIDE = 32
"""Kinds from here on are of the DSP."""
_HEADER = struct.Struct("<4sI56x")
_LAYOUT = struct.Struct("<4s3I2QIi2QI4x")
_TEXT_AT = 8
"""Where the text of such a record begins."""
SIZE = _LAYOUT.size
MAX_BYTES = (MAX_RECORDS + 1) * SIZE
EMPTY = bytes(4)
SECOND = 10**9
MIN_RATE = 10**6
"""Ticks per second of a counter that is believed."""
VARIABLE = "BUILDTOOL_TRACE"
"""The variable with the path of the file on the device (BT_TRACE_VARIABLE)."""
READ_SECONDS = 300.0
READ_LOG = '[ ! -f "$2" ] || tail -c "$1" "$2"'
MAX_LOG = 4 << 20
"""Bytes of the end of the DSP's log."""
_DATE = r"(\d{1,12})(?:\.(\d{9}))?"
EVERY_SECONDS = 1.0
END_SECONDS = 5.0
Samples = list[tuple[int, Clocks]]


class Kind(IntEnum):
    """What a record is about."""

    CLOCKS = 1
    TEXT = 2
    BEGIN = 3
    END = 4
    OPEN = 5
    CLOSE = 6
    CALL = 7
    CALL_ASYNC = 8
    MAP = 9
    UNMAP = 10
    MESSAGE = 11
    LATENCY = 12
    SKEL_CALL = 13
    DSP_CALL = 32
    DSP_BEGIN = 33
    DSP_END = 34
    DSP_LOG = 35
    DSP_VOTE = 36


_KINDS = frozenset(Kind)


class Record(Value):
    """Something that happened in a thread of a process; `start` and `end` are nanoseconds of the
    device's CLOCK_MONOTONIC.  Those of a method on the DSP can be wrong by `bytes_in`."""

    kind: int
    process: int
    thread: int
    start: int
    end: int
    method: int = 0
    code: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    name: str = ""


class Recording(Value):
    """The records of a run; `dropped` is the number of records for which there was no place in the
    file, `damaged` that of records that are not complete.  CLOCK_REALTIME of the device is
    `realtime` nanoseconds ahead of its CLOCK_MONOTONIC, if that is known."""

    records: tuple[Record, ...] = ()
    dropped: int = 0
    damaged: int = 0
    realtime: int | None = None


def parse_recording(data: bytes) -> Recording:
    """The records in the beginning of a file, as long as it was used.  Damaged ones are counted."""
    if len(data) < _HEADER.size or data[: len(MAGIC)] not in (MAGIC, EMPTY):
        return Recording(damaged=bool(data))
    count = _HEADER.unpack_from(data)[1]
    records: list[Record] = []
    name_at = cache(partial(_text, data))
    damaged = 0
    number = min(count, MAX_RECORDS)
    for at in range(SIZE, (number + 1) * SIZE, SIZE):
        if at + SIZE > len(data):
            damaged += number - at // SIZE + 1
            break
        fields = _LAYOUT.unpack_from(data, at)
        if fields[:2] == (MAGIC, Kind.TEXT):
            continue  # it is read when a record refers to it
        if _is_valid(fields):
            records.append(Record(*(*fields[1:-1], name_at(fields[-1]))))
        else:
            damaged += 1
    clocks = [record for record in records if record.kind == Kind.CLOCKS]
    in_time = in_nanoseconds(records, clocks)
    return Recording(
        in_time,
        count - number,
        damaged + len(records) - len(clocks) - len(in_time),
        clocks[0].bytes_in - clocks[0].end if clocks else None,
    )


def _text(data: bytes, number: int) -> str:
    """The text that begins in the record `number`; "" if there is none."""
    text = b""
    for at in range(number * SIZE, (number + MAX_PARTS) * SIZE, SIZE):
        part = data[at : at + SIZE]
        if not number or len(part) < SIZE or _LAYOUT.unpack(part)[:2] != (MAGIC, Kind.TEXT):
            break
        text += part[_TEXT_AT:]
        if b"\0" in part[_TEXT_AT:]:
            break
    return escape(text.partition(b"\0")[0].decode(errors="replace"))


def in_nanoseconds(records: Sequence[Record], clocks: Sequence[Record]) -> tuple[Record, ...]:
    """The records with their times in nanoseconds, without `clocks`, which relate ticks to them.
    What skels have recorded becomes what the DSP has.

    Between two of these the time is interpolated, before and after them the rate is the nominal
    one.  Without any, nothing is known of records in ticks.
    """
    anchors = sorted({(each.start, each.end): each.bytes_out for each in clocks}.items())
    starts = [ticks for (ticks, _), _ in anchors]

    def time(ticks: int) -> int:
        at = max(0, bisect.bisect_right(starts, ticks) - 1)
        (start, nanoseconds), rate = anchors[at]
        if at + 1 < len(anchors) and ticks >= start:
            (next_start, following), _ = anchors[at + 1]
            passed = (ticks - start) * (following - nanoseconds) // (next_start - start)
        else:
            passed = (ticks - start) * SECOND // rate
        return nanoseconds + passed

    found = []
    for record in records:
        if record.kind >= DSP_SIDE:
            found.append(record)
        elif record.kind != Kind.CLOCKS and anchors:
            start = time(record.start)
            end = time(record.end)
            kind = Kind.DSP_CALL if record.kind == Kind.SKEL_CALL else record.kind
            if 0 < start <= end < MAX_TIME:
                found.append(record._replace(kind=kind, start=start, end=end))
    return tuple(found)


def _is_valid(fields: tuple[bytes | int, ...]) -> bool:
    magic, kind, _, _, start, end, _, _, in_, out, _ = fields
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert isinstance(in_, int)
    assert isinstance(out, int)
    if magic != MAGIC or kind not in _KINDS or not (0 < start < MAX_TIME and end < MAX_TIME):
        return False
    if kind == Kind.CLOCKS:
        return end > 0 and 0 < in_ < MAX_TIME and MIN_RATE <= out <= SECOND
    return start <= end


class DeviceClock(Value):
    """How far CLOCK_REALTIME of a device is ahead of that here, in nanoseconds, and how wrong that
    can be at most."""

    ahead: int = 0
    uncertain: int = 0


def file_of_trace(project: str, run: str) -> str:
    """The path on the device of the recording of a run, in the directory `project`."""
    return f"{project}/logs/{run}.trace"


@contextlib.contextmanager
def recorded(ready: Ready, run: str, program: str, *, with_log: bool) -> Iterator[None]:
    """Run `program` in the block; then its recording is removed from the device, and the listener
    of `ready` gets it, `with_log` with the log of the DSP, also when the program did not end in
    time or was interrupted."""
    device, project = ready.site.device, ready.site.project
    log = b""
    started = time.monotonic_ns()
    samples: Samples = []
    meters: list[Meter] = []
    try:
        with metered(device, ready.site.listener) as meters, sampled(device) as samples:
            yield
    finally:
        ended = time.monotonic_ns()
        try:
            data, clock = _read(device, file_of_trace(project, run))
            if with_log and not device.transport.direct:
                place = f"{project}/logs/{run}/dsp.log"
                log = device.exec(READ_LOG, arguments=[str(MAX_LOG), place]).stdout
        except DeviceError as error:
            data, clock = b"", DeviceClock()
            ready.site.listener(Note(f"the trace has no calls of {program}: {error}"))
        ready.site.listener(
            ProgramTraced(
                *(program, device.name, data, started, ended),
                *(clock.ahead, clock.uncertain),
                samples=tuple((at, clocks.clusters, clocks.temperature) for at, clocks in samples),
                meters=tuple(tuple(meter) for meter in meters),
                same_clock=device.transport.direct,
                log=log,
            )
        )


def _read(device: Device, path: str) -> tuple[bytes, DeviceClock]:
    clock = DeviceClock() if device.transport.direct else _clock_of(device)
    head = device.exec('[ ! -f "$1" ] || head -c 8 <"$1"', arguments=[path]).stdout
    used = (int.from_bytes(head[4:8], "little") + 1) * SIZE
    text = '[ ! -f "$1" ] || head -c "$2" <"$1"; rm -f -- "$1"'
    arguments = [path, str(min(used, MAX_BYTES))]
    return device.exec(text, arguments=arguments, timeout=READ_SECONDS).stdout, clock


def _clock_of(device: Device) -> DeviceClock:
    before = time.time_ns()
    printed = device.exec("date +%s.%N").stdout.decode(errors="replace")
    after = time.time_ns()
    found = re.match(_DATE, printed)
    if not found:
        return DeviceClock(0, 1 << 62)
    seconds, nanoseconds = found.groups()
    there = int(seconds) * 10**9 + int(nanoseconds or 5 * 10**8)  # busybox knows no %N
    rounding = 0 if nanoseconds else 5 * 10**8
    return DeviceClock(there - (before + after) // 2, (after - before) // 2 + rounding)


@contextlib.contextmanager
def sampled(device: Device) -> Iterator[Samples]:
    """In the block, samples are added to the list: the time here in nanoseconds of CLOCK_MONOTONIC,
    in the middle of the exchange, and the clocks.  There are none of this machine, nor of a device
    that does not answer."""
    samples: Samples = []
    if device.transport.direct:
        yield samples
        return
    end = threading.Event()

    def sample() -> None:
        with contextlib.suppress(DeviceError):
            while not end.wait(EVERY_SECONDS):
                before = time.monotonic_ns()
                text = device.exec(script("clocks")).stdout.decode(errors="replace")
                samples.append(((before + time.monotonic_ns()) // 2, parse_clocks(text)))

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        end.set()
        thread.join(END_SECONDS)
