"""Exact counts of what the DSP executes for each method."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.run.method_counts import MethodCounts, read_method_counts
from tests.device.fastrpc.toolbox import Device


def counts(device: Device, folder: Path, skel: str, words: str) -> dict[int, MethodCounts]:
    """The counts of a run of one case, by method: 0 opens the skel, 1 closes it."""
    file = folder / "counts"
    file.write_text("")
    script = f"open {skel}; case {skel} {words}; close {skel}"
    done = device.run(script, BUILDTOOL_SIM_COUNTS=str(file))
    assert done.status == 0, done.err
    return {one.method: one for one in read_method_counts(file) if one.skel}


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


def test_lines_that_are_damaged_are_no_counts(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    file.write_bytes(
        b"2 1 10 20 3 100 50 0 0 liba b_skel.so\n2 2 10 20 3 100 50 8 1 liba b_skel.so\n"
        b"2 1 10 20 -3 100 50 0 0 x\nno counts\n\xff 1 1 1 1 1 1 1 0 x\n3 1 1\x1b[2J\n"
        b"2 1 " + b"9" * 5000 + b" 1 1 1 1 1 0 x\n"
    )

    (found,) = read_method_counts(file)
    assert found == MethodCounts("liba b_skel.so", 2, 3, 20, 40, 6, 200, 100, 8, exact=False)
