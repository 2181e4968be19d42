"""Logs of others: limits, encodings, and bytes that are no text."""

from __future__ import annotations

import io
import random
import sys
import tracemalloc
from pathlib import Path
from typing import IO

import pytest

from buildtool.diagnose.line_patterns import ALL, END, MAX_LINE, START, LogLines
from tests.unit.diagnose.logs import explain_bytes

CAUSE = "CDSP: undefined PLT symbol memalign in ./libscale_skel.so"


def read(stream: IO[bytes], max_bytes: int = 1 << 20) -> tuple[LogLines, list[str]]:
    log = LogLines("log", stream, max_bytes)
    found: list[str] = []
    for number, lines in log.blocks():
        assert number == len(found) + 1
        found += lines
    return log, found


class Pipe(io.BytesIO):
    """Gives a few bytes at a time, and cannot seek."""

    def seekable(self) -> bool:
        return False

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 0, 7) if size and size > 0 else size)


@pytest.mark.parametrize("kind", [io.BytesIO, Pipe])
@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"\n", [""]),
        (b"one\r\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        ("größe\n".encode(), ["größe"]),
        (b"\xff\xfebad \xc3\x28\n"[2:], ["bad �("]),
        (b"\x1b[31mred\x1b[0m \x1b]0;title\x07end\n", ["red end"]),
        ("größe\nzwei".encode("utf-16"), ["größe", "zwei"]),
        (b"\xfe\xff" + "größe".encode("utf-16-be"), ["größe"]),
        (b"a\0b\nc", ["ab", "c"]),
    ],
)
def test_lines(kind: type[io.BytesIO], data: bytes, lines: list[str]) -> None:
    log, found = read(kind(data))

    assert found == lines
    assert log.summary.lines == len(lines)
    assert log.summary.part == ALL
    assert log.summary.has_nul == (b"a\0b" in data)


@pytest.mark.parametrize("limit", range(200, 212))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_of_a_file_that_is_too_large_the_end_is_read(limit: int, encoding: str) -> None:
    lines = [f"line {number}" for number in range(1000)]

    log, found = read(io.BytesIO("\n".join([*lines, ""]).encode(encoding)), limit)

    assert log.summary.part == END
    assert len(found) > 9
    assert found == lines[-len(found) :]
    assert 100 < log.summary.bytes <= limit


def test_of_a_pipe_that_is_too_long_the_start_is_read() -> None:
    data = b"".join(b"line %d\n" % i for i in range(1000))

    log, found = read(Pipe(data), 200)

    assert (log.summary.part, found[:2]) == (START, ["line 0", "line 1"])
    assert log.summary.bytes == 200


@pytest.mark.parametrize("end", [0, 1])
def test_a_limit_that_is_the_size(end: int) -> None:
    log, found = read(io.BytesIO(b"12345\n789\n"), 10 + end)

    assert (log.summary.part, found) == (ALL, ["12345", "789"])


def test_a_line_of_ten_megabytes_is_cut() -> None:
    said = explain_bytes(b"A" * (10 << 20) + b"\n" + CAUSE.encode() + b"\n")

    assert said.logs[0].cut_lines == 1
    assert [(f.condition.name, f.evidence[0].line) for f in said.causes] == [
        ("skel-undefined-symbol", 2)
    ]


def test_a_line_without_an_end_needs_little_memory() -> None:
    class Letters(Pipe):
        def read(self, size: int | None = -1) -> bytes:
            return b"a" * (size or 0)

    tracemalloc.start()
    log, found = read(Letters(), 40 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (log.summary.part, len(found)) == (START, 1)
    assert peak < 20 << 20


@pytest.mark.parametrize(("before", "after"), [(0, 2000), (1000, 1000), (2000, 0)])
def test_of_a_long_line_the_part_around_the_match_is_shown(before: int, after: int) -> None:
    said = explain_bytes(b"A" * before + b" " + CAUSE.encode() + b" " + b"B" * after)

    text = said.causes[0].evidence[0].text
    assert "undefined PLT symbol" in text
    assert len(text) < 300


def test_what_is_behind_the_cut_is_not_seen() -> None:
    assert not explain_bytes(b"A" * MAX_LINE + CAUSE.encode()).causes
    assert explain_bytes(b"A" * 100 + CAUSE.encode()).causes


def test_a_cause_between_bytes_that_are_no_text() -> None:
    noise = random.Random(1).randbytes(1 << 20)

    said = explain_bytes(noise + b"\n" + CAUSE.encode() + b"\n" + noise)

    assert [f.condition.name for f in said.causes] == ["skel-undefined-symbol"]
    assert said.logs[0].has_nul


def test_colours_do_not_hide_a_cause() -> None:
    coloured = CAUSE.replace("undefined PLT", "undefined \x1b[1;31mPLT\x1b[0m")

    assert explain_bytes(coloured.encode()).causes


def test_a_device_that_never_ends() -> None:
    with Path("/dev/zero").open("rb") as zero:
        log, _ = read(zero, 1 << 16)
    assert log.summary.bytes <= 1 << 16


@pytest.mark.parametrize("line", [b"\n", b"ab\n", b"ab cd ef gh\n"])
def test_lines_without_anything_known_cost_no_call_each(line: bytes) -> None:
    count = 200_000
    calls = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(profile)
    try:
        said = explain_bytes(line * count, max_bytes=64 << 20)
    finally:
        sys.setprofile(None)

    assert said.logs[0].lines == count
    assert calls < count / 2
