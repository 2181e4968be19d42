"""What is written is read with Perfetto's own messages."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace  # type: ignore[import-untyped]

from buildtool.core.events import (
    BuildFinished,
    BuildStarted,
    ProgramTraced,
    StepFinished,
    StepStarted,
)
from buildtool.project.read import read_project
from buildtool.run.trace.calls import Slice, nested
from buildtool.run.trace.perfetto import MONOTONIC, REALTIME, TraceWriter, clock_shift
from buildtool.run.trace.recorder import TraceRecorder
from buildtool.run.trace.records import MAX_RECORDS, Kind, parse_recording
from tests.trace_database import open_trace
from tests.unit.trace.test_records import CALL, CLOCKS, file, packed


def test_every_field_arrives() -> None:
    writer = TraceWriter({MONOTONIC: 5, REALTIME: 6})
    process = writer.process("demo", 42)
    thread = writer.thread("worker", 42, 43)
    counter = writer.counter("mapped", process, in_bytes=True)
    negative = -(1 << 63)
    arguments: dict[str, int | str] = {"bytes": negative, "code": "0x80000406"}
    slices = [Slice(10, 30, "a", arguments, leads=7), Slice(12, 20, "b", follows=7)]
    writer.slices(thread, [*slices, Slice(13, 13, "c", instant=True)])
    writer.values(counter, [(10, 1 << 40)])

    trace = Trace()
    trace.ParseFromString(writer.data())
    base = open_trace(writer.data())
    assert base.execute("select ts, dur, name, depth from slice").fetchall() == [
        (10, 20, "a", 0),
        (12, 8, "b", 1),
    ]
    assert base.execute("select * from instant").fetchall() == [(thread, 13, "c")]
    assert dict(base.execute("select key, value from args")) == arguments
    assert base.execute("select * from flow").fetchall() == [(1, 2)]
    assert base.execute("select * from clock").fetchall() == [(MONOTONIC, 5), (REALTIME, 6)]
    assert base.execute("select * from counter").fetchall() == [(counter, 10, 1 << 40)]
    descriptor = trace.packet[3].track_descriptor
    assert (descriptor.counter.unit, descriptor.parent_uuid) == (3, process)


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50)), max_size=20),
    st.text(max_size=40),
    st.integers(-(1 << 63), (1 << 63) - 1),
)
def test_any_slices(spans: list[tuple[int, int]], text: str, number: int) -> None:
    writer = TraceWriter({MONOTONIC: 1})
    slices = [Slice(at, at + long, text, {"number": number}) for at, long in spans]
    writer.slices(writer.process(text, number), nested(slices))
    base = open_trace(writer.data())
    rows = base.execute("select dur from slice").fetchall()
    assert len(rows) == len(spans)
    assert all(dur > 0 for (dur,) in rows)


def test_a_lone_surrogate_in_a_name_is_replaced() -> None:
    writer = TraceWriter({})
    writer.process("a\udcff", 1)
    assert open_trace(writer.data()).execute("select name from track").fetchone() == ("a?",)


@pytest.fixture
def recorder(tmp_path: Path) -> TraceRecorder:
    file = tmp_path / "buildtool.toml"
    file.write_text('[project]\nname = "demo"')
    return TraceRecorder(read_project(file), None, lambda _: None)


def test_parallel_steps_are_in_rows_of_their_own(recorder: TraceRecorder) -> None:
    recorder(BuildStarted(3))
    recorder(StepStarted("a", ""))
    recorder(StepStarted("b", ""))
    recorder(StepFinished("a", "built", 0.0))
    recorder(StepFinished("b", "failed", 0.0))
    recorder(StepStarted("c", ""))
    recorder(StepFinished("c", "built", 0.0))
    recorder(BuildFinished())
    base = open_trace(recorder.trace())
    rows = base.execute(
        "select track.name, slice.name from slice join track on track.id = track_id order by ts"
    )
    assert [*rows] == [
        ("stages", "build"),
        ("steps 1", "a"),
        ("steps 2", "b"),
        ("steps 1", "c"),
    ]


def program(recording: bytes, *, ahead: int = 0, same_clock: bool = False) -> ProgramTraced:
    return ProgramTraced(
        "bin/demo", "q6a", recording, 500, 900, ahead, uncertain=5, same_clock=same_clock
    )


def test_a_damaged_recording_is_a_trace(recorder: TraceRecorder) -> None:
    count = MAX_RECORDS + 1234
    recorder(program(file(packed(CALL, b"XXXX"), CALL, count=count), same_clock=True))
    base = open_trace(recorder.trace())
    (name,) = base.execute("select name from track where pid = 7 and tid = 0").fetchone()
    assert name == f"demo (1,234 records dropped, {MAX_RECORDS - 3:,} records damaged)"


def test_arrows_of_several_programs_are_apart(recorder: TraceRecorder) -> None:
    part = CALL._replace(kind=Kind.DSP_CALL, start=110, end=190)
    for _ in range(2):
        recorder(program(file(CALL, part), same_clock=True))
    base = open_trace(recorder.trace())
    assert len(base.execute("select * from flow").fetchall()) == 2


def test_clocks_are_joined_by_the_time_of_day() -> None:
    # There it is 1 s after its boot and 1,010 s of the day, 10 s ahead of the day here.
    clocks = CLOCKS._replace(end=10**9, bytes_in=1010 * 10**9)
    here = {MONOTONIC: 300 * 10**9, REALTIME: 1000 * 10**9}
    recording = parse_recording(file(CALL, clocks=clocks))
    shift = clock_shift(recording, program(b"", ahead=10 * 10**9), here)
    assert 10**9 + shift == here[MONOTONIC]
    assert clock_shift(recording, program(b"", same_clock=True), here) == 0


def test_without_a_clock_a_recording_begins_with_its_program() -> None:
    part = CALL._replace(kind=Kind.DSP_CALL)
    recording = parse_recording(file(part, clocks=part))
    assert clock_shift(recording, program(b""), {}) == 500 - CALL.start


def test_a_large_recording_is_written_in_time(recorder: TraceRecorder) -> None:
    rows = []
    for at in range(1, 20_000 * 10, 10):
        rows.append(CALL._replace(start=at, end=at + 9))
        rows.append(CALL._replace(kind=Kind.DSP_CALL, start=at + 2, end=at + 5))
    recorder(program(file(*rows), same_clock=True))
    started = time.process_time()
    data = recorder.trace()
    assert time.process_time() - started < 20
    assert len(data) < 20_000 * 400
