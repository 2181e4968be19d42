"""Recordings come from devices: whatever is in one, it is read to its end."""

from __future__ import annotations

import re
import struct
import time

from hypothesis import given
from hypothesis import strategies as st

from buildtool import _data
from buildtool.run.trace import records
from buildtool.run.trace.records import MAGIC, SIZE, Kind, Record, parse_recording

CALL = Record(Kind.CALL, 7, 8, 100, 200, 2, -1, 30, 40, "libdemo_skel.so")


def packed(record: Record, magic: bytes = MAGIC) -> bytes:
    name = record.name.encode()
    return struct.pack("<4s3I2QIi2Q72s", magic, *record[:-1], name)


def test_the_header_in_c_is_the_same() -> None:
    text = (_data.path("host") / "include" / "fastrpc" / "bt_trace_record.h").read_text()
    kinds, number = {}, 0
    for name, value in re.findall(r"^    BT_TRACE_(\w+)(?: = (\d+))?,", text, re.MULTILINE):
        number = int(value) if value else number + 1
        kinds[name] = number
    assert kinds == {kind.name: kind.value for kind in Kind}
    assert int(re.findall(r"MAGIC 0x(\w+)u", text)[0], 16).to_bytes(4, "little") == MAGIC
    assert int(re.findall(r"RECORDS (\d+)u", text)[0]) == records.PROCESS_RECORDS
    dsp = (_data.path("dsp") / "include" / "bt_trace.h").read_text()
    assert re.findall(r"DSP_\w+ (\d+)u", dsp) == [str(int(Kind.DSP_BEGIN)), str(int(Kind.DSP_END))]


def test_records_are_read() -> None:
    end = Record(Kind.END, 7, 8, 300, 300)
    found = parse_recording(packed(CALL) + packed(end))
    assert found.records == (CALL, end)
    assert (found.dropped, found.damaged) == (0, 0)


def test_a_long_name_is_whole() -> None:
    log = Record(Kind.DSP_LOG, 7, 8, 1, 1, name="a" * 72)
    more = log._replace(kind=Kind.TEXT, name="b" * 5)
    found = parse_recording(packed(log) + packed(more) + packed(more._replace(thread=9)))
    assert [record.name for record in found.records] == ["a" * 72 + "b" * 5]


def test_a_name_has_no_end_of_its_own() -> None:
    log = Record(Kind.DSP_LOG, 7, 8, 1, 1, name="a" * 72)
    found = parse_recording(packed(log) + packed(log._replace(kind=Kind.TEXT)) * 100)
    assert len(found.records[0].name) == 16 * 72


def test_dropped_records_are_counted() -> None:
    found = parse_recording(packed(Record(Kind.DROPPED, 7, 8, 1, 1, bytes_in=123)))
    assert (found.records, found.dropped) == ((), 123)


def test_what_follows_a_damaged_part_is_read() -> None:
    data = packed(CALL)
    found = parse_recording(data + data[:50] + data + b"\0" * 200 + data + data[:60])
    assert found.records == (CALL,) * 3
    assert found.damaged == 3


def test_what_cannot_be_is_damaged() -> None:
    wrong = [
        CALL._replace(kind=99),
        CALL._replace(start=201),
        CALL._replace(start=0),
        CALL._replace(end=1 << 63),
    ]
    found = parse_recording(b"".join(map(packed, wrong)))
    assert (found.records, found.damaged) == ((), len(wrong))


def test_control_characters_are_escaped() -> None:
    (record,) = parse_recording(packed(CALL._replace(name="a\x1b[2J"))).records
    assert "\x1b" not in record.name


def test_a_file_of_magic_numbers_is_read_in_time() -> None:
    started = time.monotonic()
    found = parse_recording(MAGIC * (1 << 19))
    assert found.records == ()
    assert time.monotonic() - started < 30


@given(st.binary(max_size=4 * SIZE), st.integers(0, 2 * SIZE))
def test_any_bytes(noise: bytes, at: int) -> None:
    data = packed(CALL) * 2
    found = parse_recording(data[:at] + noise + data[at:])
    assert len(found.records) <= len(noise) // SIZE + 2
