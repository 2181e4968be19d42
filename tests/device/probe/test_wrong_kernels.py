"""htp-probe detects each intentionally wrong kernel, and reports where its output is wrong.

A benchmark without a reference would accept zeroed, stale or short output.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import REPOSITORY

from .conftest import Sample

WRONG = Path(__file__).parent / "wrong"
KERNELS = (
    *("vec_add_i32", "matvec_q8_0", "matmul_q4_0", "rms_norm_f32", "softmax_f32"),
    "gated_delta_step_f32",
)
FAULTS = [sorted(path.stem for path in (WRONG / k).glob("*.c")) for k in KERNELS]
#: The result of the probe for a shape in which the fault appears; the default is a mismatch.
VERDICTS = {"overrun": "overrun"}
#: Operations that have the kernel of another one, and faults that do not show in them.
OPS = {"matvec_q4_0": "matmul_q4_0", "matvec_q4_0_queue": "matmul_q4_0"}
HIDDEN = {"one-vector", "transposed"}


@pytest.fixture(
    params=[
        faults if number < 3 else pytest.param(faults, marks=pytest.mark.long)
        for number, faults in enumerate(zip_longest(*FAULTS))
    ],
    ids=lambda faults: " and ".join(filter(None, faults)),
)
def wrong(request: pytest.FixtureRequest, sample: Sample) -> Iterator[dict[str, str | None]]:
    """A fault for each kernel, or None: the kernels have separate results."""
    faults = dict(zip(KERNELS, request.param, strict=True))
    for kernel, fault in faults.items():
        if fault:
            sample.replace_kernel(kernel, WRONG / kernel / f"{fault}.c")
    for header in WRONG.glob("*.h"):
        shutil.copy(header, sample.root / "dsp" / "src")
    yield faults
    for kernel in KERNELS:
        sample.replace_kernel(kernel, REPOSITORY / "dsp" / "src" / f"{kernel}.c")


def test_wrong_kernel_is_seen(sample: Sample, wrong: dict[str, str | None]) -> None:
    status, report = sample.probe_json()
    assert status == 1
    assert report["ok"] is False
    for op, kernel in OPS.items():
        if (fault := wrong[kernel]) is not None:
            verdicts = {row["result"] for row in report["results"] if row["op"] == op}
            assert ("mismatch" in verdicts) == (fault not in HIDDEN), (op, fault)
    for kernel, fault in wrong.items():
        rows = [row for row in report["results"] if row["op"] == kernel]
        verdicts = {row["result"] for row in rows}
        if fault is None:
            assert verdicts == {"verified"}, "this kernel is as it was"
        else:
            assert VERDICTS.get(fault, "mismatch") in verdicts, (kernel, fault)
        if (kernel, fault) == ("vec_add_i32", "short"):
            check_where_it_ends(rows)


def check_where_it_ends(rows: list[dict[str, Any]]) -> None:
    """Only lengths with a tail differ, beginning at the first element of the tail."""
    for row in rows:
        (count,) = row["shape"]
        if count % 32 == 0:
            assert row["result"] == "verified"
        else:
            assert row["first_difference"] == count // 32 * 32
