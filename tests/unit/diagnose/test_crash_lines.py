"""Crashes that devices log, between other lines, damaged, or written by somebody else."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buildtool.diagnose.crash_lines import (
    MAX_BLOCKS,
    MAX_GAP,
    CrashBlock,
    CrashLines,
    TracedCall,
    line_time,
)
from buildtool.diagnose.crash_report import MAX_FRAMES
from buildtool.diagnose.line_patterns import HostCalls
from tests.conftest import LONG
from tests.unit.diagnose.device_crashes import NEW, OLD, PREFIXES, SHELL, TIME, crash_lines
from tests.unit.diagnose.logs import explain_bytes

SKEL = "libk_skel.so"
REGISTERS = {
    **{"Fault PC": 0xFDE4BC98, "LR": 0xFDE4BC94, "SP": 0x297270, "Bad VA": 0xABCDDCC2},
    **{"FP": 0x297620, "SSR": 0x1F70320, "Error code": 0x2001},
}
CALLS = (
    (0xFDE4BC98, "k_run+0xC", f"./{SKEL}"),
    (0xFDE4BC94, "k_run+0x8", f"./{SKEL}"),
    (0x123456, "memcpy+0x30", SHELL),
)
LINES = {form: crash_lines(form, SKEL, 0xFDE3B000, REGISTERS, CALLS) for form in (OLD, NEW)}
TIMES = {
    "threadtime": f"{TIME}  2780  2902 V adsprpc : b8:b86: CDSP0:[R]: ",
    "brief": "V/adsprpc( 2780): b8:b86: CDSP0:[R]: ",
    "with a year": f"2026-{TIME}  2780  2902 V adsprpc: b8:b86: CDSP0:[R]: ",
    "journal": "Nov 04 16:53:41 board cdsprpcd[801]: b8:b86: CDSP0:[R]: ",
    "iso": "2026-11-04T16:53:41.367000+00:00 board cdsprpcd[801]: CDSP0:[R]: ",
    "kernel": "[  812.367000] adsprpc: CDSP:platform_qdi_driver.c:792:0x191:1: ",
    "none": "",
}


def read(lines: Sequence[str]) -> tuple[CrashBlock, ...]:
    found = CrashLines()
    found.read("log", 1, lines, "\n".join(lines).lower())
    return found.blocks()


@pytest.mark.parametrize("form", [OLD, NEW])
def test_both_forms(form: str) -> None:
    (block,) = read(LINES[form])

    assert (block.first, block.last) == (1, len(LINES[form]))
    assert (block.process, block.thread) == ("my-program-with", "worker")
    assert block.reason == {OLD: "unknown reason", NEW: "TLBMISS RW"}[form]
    assert block.module
    assert (block.module.name, block.module.address) == (SKEL, 0xFDE3B000)
    assert block.shell == (SHELL, 0x100000, 0x163EBC)
    assert block.registers == REGISTERS
    assert block.calls == (
        TracedCall(0xFDE4BC98, "k_run", 0xC, SKEL),
        TracedCall(0xFDE4BC94, "k_run", 0x8, SKEL),
        TracedCall(0x123456, "memcpy", 0x30, SHELL),
    )


@pytest.mark.parametrize("name", TIMES)
def test_prefixes_of_logs(name: str) -> None:
    texts = [line.removeprefix(PREFIXES[NEW]) for line in LINES[NEW]]
    lines = [TIMES[name] + text for text in texts]
    # The time and the line of the source change within a block.
    lines[6:] = [line.replace("41.367", "42.001").replace("c:792", "c:801") for line in lines[6:]]

    (block,) = read(lines)

    (expected,) = read(LINES[NEW])
    assert block._replace(time=None) == expected._replace(time=None)
    assert (block.time is None) == (name in ("brief", "none"))


def test_lines_of_others_between_them() -> None:
    other = [line.replace("b8033d:b86", "b80999:b99") for line in LINES[NEW]]
    other = [line.replace("k_run", "other_run").replace("worker", "second") for line in other]
    noise = "11-04 16:53:41.367  100  200 I app : LR         :    0x5 "
    mixed = [line for pair in zip(LINES[NEW], other, strict=True) for line in (*pair, noise)]

    first, second = read(mixed)

    assert (first.thread, second.thread) == ("worker", "second")
    assert [call.symbol for call in first.calls] == ["k_run", "k_run", "memcpy"]
    assert [call.symbol for call in second.calls] == ["other_run", "other_run", "memcpy"]
    assert first.registers == second.registers == REGISTERS


def test_one_crash_after_the_other() -> None:
    first, second = read([*LINES[NEW], *LINES[NEW][2:]])

    assert first._replace(first=0, last=0) == second._replace(first=0, last=0)


@pytest.mark.parametrize("form", [OLD, NEW])
def test_any_line_may_be_missing(form: str) -> None:
    for missing in range(len(LINES[form])):
        (block,) = read(LINES[form][:missing] + LINES[form][missing + 1 :])
        assert len(block.registers) + len(block.calls) >= 9
    for end in range(1, len(LINES[form])):
        (block,) = read(LINES[form][:end])
        assert block.last <= end


DIED = "libcdsprpc: the DSP process on cdsp (session 0) died: bad access, code at libk_skel.so+0x2f"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f"{DIED}, in method 9 of libk_skel.so: signal 11.", ("bad access", 9)),
        (f"{DIED}, in a thread that a skel created: signal 11.", ("bad access", None)),
        ("code at libk_skel.so+0x2f", ("code at libk_skel.so+0x2f", None)),
        ("method 3 of libk_skel.so has been running for 10 s, code at libk_skel.so+0x2f", None),
        ("code at +0x2f", None),
    ],
)
def test_offsets(line: str, found: tuple[str, int | None] | None) -> None:
    blocks = read([line])

    assert [(block.reason, block.method) for block in blocks] == ([found] if found else [])
    assert {block.module for block in blocks} <= {(SKEL, 0, 0)}
    assert {block.registers["Fault PC"] for block in blocks} <= {0x2F}


def test_lines_far_away_belong_to_no_crash() -> None:
    (block,) = read([*LINES[NEW][:6], *["x"] * (MAX_GAP + 1), *LINES[NEW][7:]])

    assert [*block.registers] == ["Fault PC"]


def test_numbers_of_crashes_and_calls_are_limited() -> None:
    deep = [*LINES[NEW], *[LINES[NEW][-1]] * (MAX_FRAMES + 10)]

    blocks = read(deep * (MAX_BLOCKS + 3))

    assert len(blocks) == MAX_BLOCKS
    assert {len(block.calls) for block in blocks} == {MAX_FRAMES}


@pytest.mark.parametrize(
    "line",
    [
        f'{PREFIXES[NEW]}Crashed Shared Object "../../{"x" * 300}.so" load address : 0x1',
        f'{PREFIXES[NEW]}Crashed Shared Object "./\x1b[2J.so" load address : 0x1',
        f'{PREFIXES[NEW]}Crashed Shared Object "./libk.so" load address : 0x{"1" * 20}',
    ],
)
def test_names_and_numbers_that_are_none(line: str) -> None:
    (block,) = read([LINES[NEW][2], line])

    assert block.module is None


def test_hostile_lines_are_read_quickly() -> None:
    """Each is as long as a line may be, and makes some expression try many places."""
    texts = ["Fault PC" + " " * 3990, "LR : " * 800, "[<1>] " + "a" * 3990, "[<1>]" * 800]
    texts += ["[<1>] " * 666, 'Process "' * 444, "#" * 3980 + "CRASHED!!!", "12-12 " * 666]
    texts += ["Process on " * 360 + "CRASHED!!!", "[" * 3900, "crashed in thread " * 222]
    texts += ["a" * 3900 + " load address : 1 and size : ", " a" * 1900 + " and size : "]
    lines = [LINES[NEW][2], *(text[:4000] for text in texts * 100)]
    start = time.monotonic()

    read(lines)

    assert time.monotonic() - start < 5


@settings(max_examples=1000 if LONG else 50)
@given(st.lists(st.tuples(st.sampled_from(LINES[NEW]), st.integers(0, 130), st.text(max_size=9))))
def test_damaged_lines_are_read(damaged: list[tuple[str, int, str]]) -> None:
    for block in read([line[:place] + text + line[place:] for line, place, text in damaged]):
        assert block.first <= block.last


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{TIME} 1 2 I x", ("11-04", 60821.367)),
        ("2026-11-04T16:53:41Z x", ("11-04", 60821.0)),
        ("Nov  4 16:53:41 board x", ("11-04", 60821.0)),
        ("[   12.500000] x", ("boot", 12.5)),
        ("Xyz  4 16:53:41 board x", None),
        ("CDSP0: 16:53:41", None),
    ],
)
def test_time_of_a_line(line: str, expected: tuple[str, float] | None) -> None:
    found = line_time(line)

    assert (found and (found.day, round(found.seconds, 3))) == expected


CALL = "remote_handle64_invoke failed for module ./libk_skel.so, handle 0xaa, method 4 on domain 3"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([f"{TIME} 1 1 E a : x.c:1: Error 0xd: {CALL}"], 4),
        ([f"{TIME} 1 1 E a : x.c:1: Error 0x8000040d: {CALL}"], 4),
        (["11-04 16:53:42.1 1 1 E a : x.c:1: Error 0x72: " + CALL], 4),
        (["11-04 16:55:42.1 1 1 E a : x.c:1: Error 0xd: " + CALL], None),
        ([f"{TIME} 1 1 E a : x.c:1: Error 0xe: {CALL}"], None),
        (["ggml-hex: dspqueue_read failed: 0x0000002e", f"x.c:1: Error 0xd: {CALL}"], 4),
    ],
)
def test_the_call_that_failed(lines: list[str], found: int | None) -> None:
    from buildtool.diagnose.line_patterns import codes_in

    (block,) = read(LINES[NEW])
    calls = HostCalls()
    for number, line in enumerate(lines, len(LINES[NEW]) + 1):
        for code in codes_in(line.lower()):
            calls.add("log", number, line, code)

    call = calls.of(block)

    assert (call.method if call else None) == found


def test_an_unnamed_call_counts_without_a_named_one() -> None:
    log = "\n".join(["x", *LINES[OLD], "ggml-hex: dspqueue_read failed: 0x0000002e"])

    said = explain_bytes(log.encode())

    assert [finding.condition.name for finding in said.causes] == ["dsp-process-crashed"]
