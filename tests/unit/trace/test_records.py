"""Recordings come from devices: whatever is in one, it is read to its end."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool import _data
from buildtool.idl.emit import interface_files
from buildtool.run.trace.records import (
    MAGIC,
    MAX_BYTES,
    MAX_RECORDS,
    SIZE,
    Kind,
    Record,
    Recording,
    parse_recording,
)

CALL = Record(Kind.CALL, 7, 8, 100, 200, 2, -1, 30, 40, "libdemo_skel.so")
RATE = 10**9
CLOCKS = Record(Kind.CLOCKS, 7, 8, 1, 1, bytes_in=5_000, bytes_out=RATE)
"""Ticks are nanoseconds."""


def packed(record: Record, magic: bytes = MAGIC) -> bytes:
    return struct.pack("<4s3I2QIi2QI4x", magic, *record[:-1], 2 if record.name else 0)


def text(data: bytes) -> bytes:
    return struct.pack("<4sI56s", MAGIC, Kind.TEXT, data)


def file(
    *rows: Record | bytes,
    count: int | None = None,
    clocks: Record = CLOCKS,
    name: bytes = CALL.name.encode(),
) -> bytes:
    """A recording, whose second record is the name of all those that have one."""
    every = (clocks, text(name), *rows)
    data = b"".join(row if isinstance(row, bytes) else packed(row) for row in every)
    head = struct.pack("<4sI56x", bytes(4), len(every) if count is None else count)
    return head + data


def test_the_header_in_c_is_the_same() -> None:
    text = (_data.path("host") / "include" / "fastrpc" / "bt_trace_record.h").read_text()
    kinds, number = {}, 0
    for name, value in re.findall(r"^    BT_TRACE_(\w+)(?: = (\d+))?,", text, re.MULTILINE):
        number = int(value) if value else number + 1
        kinds[name] = number
    assert kinds == {kind.name: kind.value for kind in Kind}
    assert int(re.findall(r"MAGIC 0x(\w+)u", text)[0], 16).to_bytes(4, "little") == MAGIC
    assert int(re.findall(r"RECORDS (\d+)u", text)[0]) == MAX_RECORDS
    assert int(re.findall(r"BYTES (\d+)u", text)[0]) == MAX_BYTES
    traced = Path(interface_files.__file__).with_name("parts") / "traced.c.in"
    methods = re.findall(r"_method == (0x\w+)u", traced.read_text())
    assert re.findall(r"METHOD (0x\w+)u", text) == methods != []
    dsp = (_data.path("dsp") / "include" / "bt_trace.h").read_text()
    assert re.findall(r"DSP_\w+ (\d+)u", dsp) == [str(int(Kind.DSP_BEGIN)), str(int(Kind.DSP_END))]


def test_records_are_read() -> None:
    end = Record(Kind.END, 7, 8, 300, 300)
    found = parse_recording(file(CALL, end))
    assert found.records == (CALL, end)
    assert (found.dropped, found.damaged, found.realtime) == (0, 0, 4_999)


def test_a_long_name_is_whole() -> None:
    log = Record(Kind.DSP_LOG, 7, 8, 1, 1, name="x")
    found = parse_recording(file(text(b"b" * 5), log, text(b"c"), name=b"a" * 56))
    assert [record.name for record in found.records] == ["a" * 56 + "b" * 5]


def test_the_length_of_a_name_is_limited() -> None:
    log = Record(Kind.DSP_LOG, 7, 8, 1, 1, name="x")
    found = parse_recording(file(*[text(b"a" * 56)] * 100, log, name=b"a" * 56))
    assert len(found.records[0].name) == 20 * 56


def test_a_name_that_is_no_text_is_empty() -> None:
    found = parse_recording(file(CALL).replace(text(CALL.name.encode()), packed(CALL)))
    assert {record.name for record in found.records} == {""}


def test_records_without_a_place_are_counted() -> None:
    found = parse_recording(file(CALL, count=MAX_RECORDS + 123))
    assert (len(found.records), found.dropped) == (1, 123)
    assert found.damaged == MAX_RECORDS - 3  # the file ends early


@pytest.mark.parametrize(
    "wrong",
    [
        bytes(SIZE),
        packed(CALL, b"XXXX"),
        packed(CALL._replace(kind=99)),
        packed(CALL._replace(start=201)),
        packed(CALL._replace(start=0)),
        packed(CALL._replace(end=1 << 63)),
        packed(CLOCKS._replace(bytes_out=0)),
        packed(CLOCKS._replace(end=0)),
    ],
)
def test_what_cannot_be_is_damaged(wrong: bytes) -> None:
    found = parse_recording(file(wrong, CALL))
    assert (found.records, found.damaged) == ((CALL,), 1)


@pytest.mark.parametrize("data", [b"x" * 300, b"\0", bytes(63), b"ELF!" + bytes(200)])
def test_another_file_is_damaged(data: bytes) -> None:
    assert parse_recording(data) == Recording(damaged=1)


def test_no_file_is_an_empty_recording() -> None:
    assert parse_recording(b"") == Recording()


def test_control_characters_are_escaped() -> None:
    (record,) = parse_recording(file(CALL, name=b"a\x1b[2J")).records
    assert "\x1b" not in record.name


def test_ticks_are_interpolated_between_readings_of_the_clock() -> None:
    # 19.2 MHz; the clock was slewed by 1 ms within a second.
    rate = 19_200_000
    first = CLOCKS._replace(start=rate, end=10**9, bytes_out=rate)
    second = first._replace(start=2 * rate, end=2 * 10**9 + 10**6)
    times = [rate // 2, rate * 3 // 2, rate * 5 // 2]
    rows = [CALL._replace(start=at, end=at) for at in times]
    found = parse_recording(file(*rows, second, clocks=first))
    assert [record.start for record in found.records] == [
        500_000_000,
        1_500_500_000,
        2_501_000_000,
    ]


def test_times_of_the_dsp_are_nanoseconds() -> None:
    part = CALL._replace(kind=Kind.DSP_CALL)
    clocks = CLOCKS._replace(bytes_out=19_200_000)
    assert parse_recording(file(part, clocks=clocks)).records == (part,)


def test_what_a_skel_has_recorded_is_of_the_dsp_and_has_ticks_of_the_program() -> None:
    part = CALL._replace(kind=Kind.SKEL_CALL)
    clocks = CLOCKS._replace(end=1_001)
    (found,) = parse_recording(file(part, clocks=clocks)).records
    assert found == CALL._replace(kind=Kind.DSP_CALL, start=1_100, end=1_200)


def test_without_a_clock_the_times_of_the_program_are_unknown() -> None:
    part = CALL._replace(kind=Kind.DSP_CALL)
    found = parse_recording(file(CALL, clocks=part))
    assert (found.records, found.damaged, found.realtime) == ((part,), 1, None)


@given(st.binary(max_size=6 * SIZE), st.integers(0, 4 * SIZE), st.integers(0, 9))
def test_any_bytes(noise: bytes, at: int, count: int) -> None:
    data = file(CALL, CALL, count=count)
    found = parse_recording(data[:at] + noise + data[at:])
    assert all(0 < record.start <= record.end for record in found.records)


def test_calls_while_a_clock_went_back_are_damaged() -> None:
    back = CLOCKS._replace(start=400, end=1)
    forward = CLOCKS._replace(start=1, end=300)
    found = parse_recording(file(back, CALL, clocks=forward))
    assert (found.records, found.damaged) == ((), 1)


@given(
    st.lists(
        st.tuples(
            *[st.integers(0, (1 << 62) - 1)] * 2,
            st.integers(1, 1 << 62),
            st.integers(10**6, 10**9),
        ),
        max_size=6,
    )
)
def test_any_clocks(rows: list[tuple[int, ...]]) -> None:
    clocks = [CLOCKS._replace(start=a, end=b, bytes_in=c, bytes_out=rate) for a, b, c, rate in rows]
    found = parse_recording(file(*clocks, CALL))
    assert all(0 < record.start <= record.end < 1 << 62 for record in found.records)
