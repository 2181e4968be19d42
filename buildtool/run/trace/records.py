"""The records that both sides of FastRPC append to one file during a run with `--trace`.

Their layout is that of host/include/fastrpc/bt_trace_record.h.  The file comes from a device:
nothing in it is trusted.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from buildtool.core.escape import escape
from buildtool.core.value import Value

MAGIC = b"BTR1"
MAX_BYTES = 1 << 26
"""Of a file that is read: half a million records."""
PROCESS_RECORDS = 200_000
"""The number of records that a process writes at most (BT_TRACE_RECORDS)."""
MAX_TIME = 1 << 62
MAX_PARTS = 16
_LAYOUT = struct.Struct("<4s3I2QIi2Q72s")
SIZE = _LAYOUT.size


class Kind(IntEnum):
    """What a record is about."""

    CLOCKS = 1
    DROPPED = 2
    TEXT = 3
    BEGIN = 4
    END = 5
    OPEN = 6
    CLOSE = 7
    CALL = 8
    CALL_ASYNC = 9
    MAP = 10
    UNMAP = 11
    MESSAGE = 12
    LATENCY = 13
    DSP_CALL = 32
    DSP_BEGIN = 33
    DSP_END = 34
    DSP_LOG = 35
    DSP_VOTE = 36


_KINDS = frozenset(Kind)


class Record(Value):
    """Something that happened in a thread of a process; `start` and `end` are nanoseconds of the
    device's CLOCK_MONOTONIC, apart from `end` of `CLOCKS`, which is of CLOCK_REALTIME."""

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
    """The records of a run; `dropped` is the number of records that were not written because there
    were too many, `damaged` that of places in the file that are not records."""

    records: tuple[Record, ...] = ()
    dropped: int = 0
    damaged: int = 0


def parse_recording(data: bytes) -> Recording:
    """The records in the first `MAX_BYTES` of a file.  Damaged parts are left out, and counted."""
    records: list[Record] = []
    dropped = damaged = at = parts = 0
    data = data[:MAX_BYTES]
    while at + SIZE <= len(data):
        fields = _LAYOUT.unpack_from(data, at)
        # A record that was cut off when the disk was full goes on with the next one.
        following = data.find(MAGIC, at + 1, at + SIZE)
        if following >= 0 or not _is_valid(fields):
            damaged += 1
            following = following if following >= 0 else data.find(MAGIC, at + 1)
            at = following if following >= 0 else len(data)
            continue
        at += SIZE
        name = escape(fields[-1].partition(b"\0")[0].decode(errors="replace"))
        if fields[1] == Kind.DROPPED:
            dropped += fields[8]
        elif fields[1] != Kind.TEXT:
            records.append(Record(*(*fields[1:-1], name)))
            parts = 1
        elif records and records[-1][1:3] == fields[2:4] and parts < MAX_PARTS:
            records[-1] = records[-1]._replace(name=records[-1].name + name)
            parts += 1
    return Recording(tuple(records), dropped, damaged + (at < len(data)))


def _is_valid(fields: tuple[bytes | int, ...]) -> bool:
    magic, kind, _, _, start, end = fields[:6]
    assert isinstance(start, int)
    assert isinstance(end, int)
    return (
        magic == MAGIC
        and kind in _KINDS
        and 0 < start < MAX_TIME
        and (start <= end < MAX_TIME or kind == Kind.CLOCKS)
    )
