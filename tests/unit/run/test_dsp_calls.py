"""The counts of calls in the file of the counting library, and what is said about them."""

from __future__ import annotations

import struct

import pytest

from buildtool.run.dsp_calls import (
    MAGIC,
    MODULES,
    NAME_SIZE,
    ROWS,
    SIZE,
    DspCalls,
    DspMethod,
    parse_dsp_calls,
)

METHOD = DspMethod("libdemo_skel.so", 2, 3, 1, 0.0025, 100, 50)


def file(
    *rows: tuple[int, ...], sums: tuple[int, ...] = (0,) * 7, name: bytes = b"libdemo_skel.so"
) -> bytes:
    names = b"\0" * NAME_SIZE + name.ljust(NAME_SIZE, b"\0")
    names = names.ljust(MODULES * NAME_SIZE, b"\0")
    table = b"".join(struct.pack("<6Q", *row) for row in rows).ljust(ROWS * 48, b"\0")
    return struct.pack("<8s7Q", MAGIC, *sums) + names + table


def test_rows_and_sums_are_read() -> None:
    data = file((1 << 32 | 3, 3, 1, 2_500_000, 100, 50), sums=(4, 3, 2, 1, 30, 10, 9))

    assert len(data) == SIZE
    assert parse_dsp_calls(data) == DspCalls(4, 3, 2, 1, 30, 10, 9, (METHOD,))


@pytest.mark.parametrize(
    "data", [b"", b"x", b"\0" * SIZE, file()[:-1], file() + b"\0", b"X" + file()[1:]]
)
def test_another_file_is_none(data: bytes) -> None:
    assert parse_dsp_calls(data) is None


def test_a_skel_that_was_not_opened_here_is_unknown() -> None:
    found = parse_dsp_calls(file((1, 5, 0, 0, 0, 0), (2**63, 1, 0, 0, 0, 0)))

    assert found
    assert [(row.skel, row.calls) for row in found.methods] == [("unknown", 1), ("unknown", 5)]


def test_names_of_the_device_are_escaped() -> None:
    found = parse_dsp_calls(file((1 << 32 | 1, 1, 0, 0, 0, 0), name=b"\x1b[2J\xff"))

    assert found
    assert "\x1b" not in found.methods[0].skel


@pytest.mark.parametrize(
    ("calls", "lines"),
    [
        (DspCalls(mapped_bytes=2048 << 20, opened=1), ["0 successful calls of the DSP, 2,048"]),
        (DspCalls(messages=7), ["7 messages in queues"]),
        (DspCalls(messages=1, mapped=3, unmapped=2, mapped_bytes=5 << 20, unmapped_bytes=4 << 20),
         ["1 messages", "1 of 3 buffers not unmapped: 1.0 MiB"]),
        (DspCalls(1, 1, methods=(METHOD,)),
         ["method 2 of libdemo_skel.so: 3 calls, 1 failed, 2.5 ms, 100 bytes in, 50 out"]),
        (DspCalls(2, 1, methods=(METHOD._replace(name="demo_add", failed=0),)),
         ["demo_add: 3 calls, 2.5 ms", "1 of 2 handles not closed"]),
    ],
)  # fmt: skip
def test_what_is_said(calls: DspCalls, lines: list[str]) -> None:
    found = [*calls.lines()]
    leak_of_the_first = calls.opened > calls.closed and not calls.successful
    assert len(found) == len(lines) + leak_of_the_first
    for line, start in zip(found, lines, strict=False):
        assert line.startswith(start)


def test_calls_that_failed_are_not_the_work_of_a_dsp() -> None:
    calls = DspCalls(1, 1, methods=(METHOD._replace(calls=2, failed=2),))

    assert calls.successful == 0
    assert (
        next(calls.lines()) == "0 successful calls of the DSP, 2 failed, 0.0 MiB mapped, 1 opened"
    )
