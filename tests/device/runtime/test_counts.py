"""Exact counts of what the DSP executes for each method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buildtool.run.method_counts import QUEUES, MethodCounts, read_method_counts
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import build_skel, install


def counts(device: Device, folder: Path, skel: str, words: str) -> dict[int, MethodCounts]:
    """The counts of a run of one case, by method: 0 opens the skel, 1 closes it."""
    return counts_of(device, folder, f"open {skel}; case {skel} {words}; close {skel}")


def counts_of(device: Device, folder: Path, script: str) -> dict[int, MethodCounts]:
    return {one.method: one for one in rows_of(device, folder, script) if one.skel}


def rows_of(device: Device, folder: Path, script: str, **variables: Any) -> list[MethodCounts]:
    file = folder / "counts"
    file.write_text("")
    done = device.run(script, BUILDTOOL_SIM_COUNTS=str(file), **variables)
    assert done.status == 0, done.err
    return [*read_method_counts(file)]


@pytest.mark.parametrize(("skel", "case"), [("threads", "posix_threads"), ("sync", "barriers")])
def test_counts_with_threads_are_the_same_in_each_run(
    skel: str, case: str, device: Device, tmp_path: Path
) -> None:
    first, *others = (counts(device, tmp_path, skel, case) for _ in range(4))

    assert all(other == first for other in others)
    assert [first[method].calls for method in sorted(first)] == [1, 1, 1]
    assert first[2].instructions > first[2].packets > first[0].packets > 0


def test_work_of_threads_counts_for_the_call(device: Device, tmp_path: Path) -> None:
    few, many = (counts(device, tmp_path, "threads", f"many_threads {n}")[2] for n in (1, 10))

    assert many.packets > 5 * few.packets


@pytest.mark.parametrize("pauses", [0, 1], ids=["pause", "load"])
def test_loops_that_wait_count_apart(
    pauses: int, device: Device, toolbox: Toolbox, tmp_path: Path
) -> None:
    install(device, build_skel(toolbox, "waiting"), "waiting")
    jobs = (20, 40)
    few, many, again = (
        counts(device, tmp_path, "waiting", f"together 3 {n} 5000 {pauses}")[2]
        for n in (*jobs, jobs[1])
    )

    assert many.comparable == again.comparable
    assert many.exact
    assert many.waiting > 0
    # Four threads do the work of a job, in a loop of a packet.
    assert 1 < (many.packets - few.packets) / (20 * 4 * 5000) < 1.5


def test_counts_of_a_thread_that_rests_are_exact(
    device: Device, toolbox: Toolbox, tmp_path: Path
) -> None:
    """The counters wrap after seconds of work, not of time, of which a busy machine takes more."""
    install(device, build_skel(toolbox, "waiting"), "waiting")

    assert counts(device, tmp_path, "waiting", "rest 3500")[2].exact


def test_callbacks_of_queues_count(device: Device, tmp_path: Path) -> None:
    """How many messages a callback finds is chance."""
    found = [
        counts_of(
            device,
            tmp_path,
            "open queue; queue q 0 0 callback; case queue import @q 1; burst q 60; tally q 60;"
            "case queue close_queue; shut q; close queue",
        )
        for _ in range(3)
    ]

    first, *others = ([one.comparable for one in each.values()] for each in found)
    assert all(other == first for other in others)
    row = found[0][QUEUES]
    assert (row.calls, row.skel, row.name) == (60, "libqueue_skel.so", "callbacks of dspqueue")
    assert row.exact
    assert row.instructions > row.packets > 60 * 50


STACK_CASES = {
    "call": "in_the_call {}",
    "thread that returns": "in_a_thread {} 0",
    "thread that exits": "in_a_thread {} 1",
    "thread that stays": "in_a_thread {} 2",
}


@pytest.mark.parametrize("case", STACK_CASES.values(), ids=STACK_CASES)
def test_each_byte_of_stack_is_measured(
    case: str, device: Device, toolbox: Toolbox, tmp_path: Path
) -> None:
    install(device, build_skel(toolbox, "stack_use"), "stack_use")

    def most(size: int, **variables: Any) -> int:
        script = f"open stack_use; case stack_use {case.format(size)}"
        return max(one.stack for one in rows_of(device, tmp_path, script, **variables))

    few, again, one_more = (most(size, BUILDTOOL_SIM_STACK="1") for size in (3000, 3000, 3001))

    assert few == again
    assert one_more == few + 1
    assert 3000 < few < 3400
    assert most(3000) == 0


def test_the_most_vtcm_that_is_held_is_measured(device: Device, tmp_path: Path) -> None:
    def most(*cases: str) -> int:
        script = f"open vtcm; {'; '.join(f'case vtcm {case}' for case in cases)}; close vtcm"
        return max(one.vtcm for one in rows_of(device, tmp_path, script))

    kib = 1024
    assert most("query") == 0
    assert most(f"acquire {64 * kib} 0 0", "release") == 64 * kib
    assert most(f"acquire {68 * kib} 0 0", "release", f"acquire {64 * kib} 0 0") == 68 * kib
    assert most("share_between_threads") == 2048 * kib


def test_lines_that_are_damaged_are_no_counts(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    file.write_bytes(
        b"2 1 10 20 3 7 100 50 0 0 0 5 90 liba b_skel.so\n"
        b"2 2 10 20 3 8 100 50 8 1 9 7 80 liba b_skel.so\n"
        b"2 1 10 20 -3 0 100 50 0 0 0 0 0 x\nno counts\n\xff 1 1 1 1 1 1 1 1 0 0 0 0 x\n"
        b"3 1 1\x1b[2J\n2 1 " + b"9" * 5000 + b" 1 1 1 1 1 1 1 0 0 0 x\n"
    )

    (found,) = read_method_counts(file)
    assert found == MethodCounts(
        skel="liba b_skel.so",
        method=2,
        calls=3,
        packets=20,
        instructions=40,
        hvx=6,
        waiting=15,
        bytes_in=200,
        bytes_out=100,
        bytes_copied=8,
        exact=False,
        within=9,
        vtcm=7,
        stack=90,
    )
