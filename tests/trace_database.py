"""A trace in a database with the tables of Perfetto's trace processor, for queries.

It is read with Perfetto's own messages, of the package `perfetto`.  The trace processor itself is a
program that this package would download.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (  # type: ignore[import-untyped]
    Trace,
    TrackEvent,
)

TABLES = """
create table track(id integer primary key, parent_id, name, pid, tid);
create table slice(id integer primary key, track_id, ts, dur, name, depth, parent_id);
create table instant(track_id, ts, name);
create table args(slice_id, key, value);
create table counter(track_id, ts, value);
create table flow(slice_out, slice_in);
create table clock(id, ts);
"""
MONOTONIC = 3


def open_trace(file: Path | bytes) -> sqlite3.Connection:
    """The tables of the trace `file`.  Asserts that its events are well formed."""
    trace = Trace()
    trace.ParseFromString(file if isinstance(file, bytes) else file.read_bytes())
    base = sqlite3.connect(":memory:")
    base.executescript(TABLES)
    stacks: dict[int, list[int]] = defaultdict(list)
    last: dict[int, int] = {}
    leads: dict[int, int] = {}
    follows: dict[int, int] = {}
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id
        if packet.HasField("track_descriptor"):
            _add_track(base, packet.track_descriptor)
        elif packet.HasField("track_event"):
            event, ts = packet.track_event, packet.timestamp
            assert packet.timestamp_clock_id == MONOTONIC
            assert base.execute("select 1 from track where id = ?", [event.track_uuid]).fetchone()
            if event.type != TrackEvent.TYPE_INSTANT:
                assert ts >= last.get(event.track_uuid, 0), "not sorted"
                last[event.track_uuid] = ts
            number = _add_event(base, event, ts, stacks[event.track_uuid])
            for arrow in event.flow_ids:
                assert leads.setdefault(arrow, number) == number
            for arrow in event.terminating_flow_ids:
                assert follows.setdefault(arrow, number) == number
        else:
            rows = [(clock.clock_id, clock.timestamp) for clock in packet.clock_snapshot.clocks]
            base.executemany("insert into clock values (?, ?)", rows)
    assert not any(stacks.values()), "slices without an end"
    assert leads.keys() == follows.keys()
    base.executemany("insert into flow values (?, ?)", [(leads[n], follows[n]) for n in leads])
    return base


def _add_track(base: sqlite3.Connection, track: Any) -> None:
    name = track.name or track.process.process_name or track.thread.thread_name
    pid = track.process.pid or track.thread.pid
    row = (track.uuid, track.parent_uuid, name, pid, track.thread.tid)
    base.execute("insert into track values (?, ?, ?, ?, ?)", row)


def _add_event(base: sqlite3.Connection, event: Any, ts: int, stack: list[int]) -> int:
    """Add an event; returns the number of a slice that it begins, or 0."""
    number = 0
    track = event.track_uuid
    if event.type == TrackEvent.TYPE_SLICE_BEGIN:
        parent = stack[-1] if stack else None
        row = (track, ts, event.name, len(stack), parent)
        sql = "insert into slice(track_id, ts, name, depth, parent_id) values (?, ?, ?, ?, ?)"
        number = base.execute(sql, row).lastrowid or 0
        stack.append(number)
        for each in event.debug_annotations:
            value = each.string_value if each.HasField("string_value") else each.int_value
            base.execute("insert into args values (?, ?, ?)", (number, each.name, value))
    elif event.type == TrackEvent.TYPE_SLICE_END:
        base.execute("update slice set dur = ? - ts where id = ?", (ts, stack.pop()))
    elif event.type == TrackEvent.TYPE_INSTANT:
        base.execute("insert into instant values (?, ?, ?)", (track, ts, event.name))
    else:
        base.execute("insert into counter values (?, ?, ?)", (track, ts, event.counter_value))
    return number
