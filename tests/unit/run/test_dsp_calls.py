"""The counts of calls in the file of the counting library, and what is said about them."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from buildtool.project.read import ProjectError, find_project
from buildtool.run.dsp_calls import (
    MAGIC,
    MODULES,
    NAME_SIZE,
    ROWS,
    SIZE,
    DspCalls,
    DspMethod,
    judged,
    parse_dsp_calls,
)

METHOD = DspMethod("libdemo_skel.so", 2, "", 3, 1, 0.0025, 100, 50)


def file(
    *rows: tuple[int, ...], sums: tuple[int, ...] = (0,) * 8, name: bytes = b"libdemo_skel.so"
) -> bytes:
    names = b"\0" * NAME_SIZE + name.ljust(NAME_SIZE, b"\0")
    names = names.ljust(MODULES * NAME_SIZE, b"\0")
    table = b"".join(struct.pack("<6Q", *row) for row in rows).ljust(ROWS * 48, b"\0")
    return struct.pack("<8s8Q", MAGIC, *sums) + names + table


def write_project(root: Path, text: str) -> None:
    (root / "CMakeLists.txt").touch()
    (root / "buildtool.toml").write_text(
        f'[project]\nname = "demo"\n{text}\n[host.demo]\nsource = "."\n'
    )


def test_rows_and_sums_are_read() -> None:
    data = file((1 << 32 | 3, 3, 1, 2_500_000, 100, 50), sums=(4, 3, 2, 1, 30, 10, 5, 9))

    assert len(data) == SIZE
    assert parse_dsp_calls(data) == DspCalls(4, 3, 2, 1, 30, 10, 5, 9, (METHOD,))


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
    for line, start in zip(calls.lines(), lines, strict=True):
        assert line.startswith(start)


SUCCESSFUL = METHOD._replace(name="demo_add", calls=3, failed=1)
FAILED = METHOD._replace(calls=2, failed=2)


@pytest.mark.parametrize(
    ("expected", "calls", "problem"),
    [
        # Without a queue, a call that did not fail is use.
        ({}, DspCalls(1, methods=(SUCCESSFUL,)), ""),
        ({}, DspCalls(mapped_bytes=2048 << 20, opened=1),
         "0 successful calls of the DSP, 2,048.0 MiB mapped, 1 opened"),
        ({}, DspCalls(1, 1, methods=(FAILED,)),
         "0 successful calls of the DSP, 2 failed, 0.0 MiB mapped, 1 opened"),
        # Calls that set up a queue without messages are none.
        ({}, DspCalls(1, queues=1, methods=(SUCCESSFUL,)),
         "0 messages in 1 queue, 0.0 MiB mapped, 1 opened"),
        ({}, DspCalls(1, queues=2, methods=(SUCCESSFUL,)),
         "0 messages in 2 queues, 0.0 MiB mapped, 1 opened"),
        ({}, DspCalls(1, queues=1, messages=1), ""),
        # The project knows better.
        ({"demo_add": ">= 2"}, DspCalls(1, queues=1, methods=(SUCCESSFUL, FAILED)), ""),
        ({"demo_add": ">=3"}, DspCalls(1, methods=(SUCCESSFUL,)),
         "2 successful calls of demo_add, >=3 expected"),
        ({"demo_ad": ">= 1"}, DspCalls(1, methods=(SUCCESSFUL,)),
         "0 successful calls of demo_ad, >= 1 expected"),
        ({"messages": ">= 1", "demo_add": ">= 1"}, DspCalls(1, queues=1, methods=(SUCCESSFUL,)),
         "0 messages in queues, >= 1 expected"),
        ({"messages": "<= 3"}, DspCalls(messages=4), "4 messages in queues, <= 3 expected"),
        ({"messages": "<= 3"}, DspCalls(), ""),
    ],
)  # fmt: skip
def test_use_that_is_not_expected_is_a_problem(
    tmp_path: Path, expected: dict[str, str], calls: DspCalls, problem: str
) -> None:
    table = "".join(f'\n"{name}" = "{count}"' for name, count in expected.items())
    write_project(tmp_path, f"[project.expect-dsp]{table}\n")
    found = judged(find_project(tmp_path), calls)

    assert found.problem == problem
    assert [line for line in found.lines() if line == problem] == [problem] * bool(problem)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('messages = "some"', "messages = 'some' is not a number of calls"),
        ("messages = 1", "messages = 1 is not a number of calls"),
        ('"two words" = ">= 1"', "'two words' is neither messages nor the C name of a method"),
    ],
)
def test_what_is_no_number_of_calls_is_refused(tmp_path: Path, text: str, why: str) -> None:
    write_project(tmp_path, f"[project.expect-dsp]\n{text}\n")
    with pytest.raises(ProjectError, match=re.escape(why)):
        find_project(tmp_path)
