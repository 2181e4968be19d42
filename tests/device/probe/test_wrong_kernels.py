"""htp-probe detects each intentionally wrong kernel, and reports where its output is wrong.

A benchmark without a reference would accept zeroed, stale or short output.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY

from .conftest import Sample

WRONG = Path(__file__).parent / "wrong"
#: The result of the probe for a shape in which the fault appears; the default is a mismatch.
VERDICTS = {"overrun": "overrun"}


@pytest.fixture(params=sorted(path.name for path in WRONG.glob("*.c")))
def wrong(request: pytest.FixtureRequest, sample: Sample) -> Iterator[tuple[str, str]]:
    """The kernel that is replaced, and its fault."""
    kernel, fault, _ = request.param.split(".")
    sample.replace_kernel(kernel, WRONG / request.param)
    if kernel == "matvec_q8_0":
        (sample.root / "dsp" / "src" / "product.h").write_text((WRONG / "product.h").read_text())
    yield kernel, fault
    sample.replace_kernel(kernel, REPOSITORY / "dsp" / "src" / f"{kernel}.c")


def test_wrong_kernel_is_seen(sample: Sample, wrong: tuple[str, str]) -> None:
    kernel, fault = wrong
    status, report = sample.probe_json()
    assert status == 1
    assert report["ok"] is False
    verdicts = {
        op: {row["result"] for row in report["results"] if row["op"] == op}
        for op in ("vec_add_i32", "matvec_q8_0")
    }
    assert VERDICTS.get(fault, "mismatch") in verdicts.pop(kernel)
    assert verdicts.popitem()[1] == {"verified"}, "the other kernel is as it was"


def test_short_output_is_seen_where_it_ends(sample: Sample) -> None:
    """Only lengths with a tail differ, beginning at the first element of the tail."""
    sample.replace_kernel("vec_add_i32", WRONG / "vec_add_i32.short.c")
    try:
        status, report = sample.probe_json("--op", "vec_add_i32")
    finally:
        sample.replace_kernel("vec_add_i32", REPOSITORY / "dsp" / "src" / "vec_add_i32.c")
    assert status == 1
    for row in report["results"]:
        (count,) = row["shape"]
        if count % 32 == 0:
            assert row["result"] == "verified"
        else:
            assert row["first_difference"] == count // 32 * 32


def test_a_crash_on_the_dsp_is_reported(sample: Sample, tmp_path: Path) -> None:
    """The process on the DSP has ended: each call fails, and the code is explained."""
    source = tmp_path / "crash.c"
    source.write_text(
        '#include "kernels.h"\n'
        "void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)\n"
        "{\n    (void)a;\n    (void)b;\n    (void)sum;\n"
        "    *(volatile int32_t *)count = 0;\n}\n"
    )
    sample.replace_kernel("vec_add_i32", source)
    try:
        status, report = sample.probe_json("--op", "vec_add_i32")
        table = sample.probe("--op", "vec_add_i32")
    finally:
        sample.replace_kernel("vec_add_i32", REPOSITORY / "dsp" / "src" / "vec_add_i32.c")
    assert status == 1
    assert {row["result"] for row in report["results"]} == {"call-failed"}
    assert report["results"][0]["code"] == "0x8000040d"
    assert report["results"][0]["name"] == "AEE_EBADSTATE"
    assert table.returncode == 1
    assert "call failed 0x8000040d" in table.stdout
    assert "the process on the DSP crashed" in table.stdout
