"""`run sim --json` has exact counts for each method: equal in each run, one packet more shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Sample

STORE = "        hvx_store(sum + i, Q6_Vw_vadd_VwVw(hvx_load(a + i), hvx_load(b + i)));\n"
ONE_MORE = f'    {{\n        __asm__ volatile("nop");\n{STORE}    }}\n'


def methods(sample: Sample) -> dict[str, dict[str, Any]]:
    """The counts by the name of the method, without those of the thread of a queue."""
    done = sample.run("run", "sim", "--json", "--", "bin/htp-probe")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["methods"]}
    return {name: row for name, row in rows.items() if name not in {"", "htp_ops_close_queue"}}


@pytest.mark.long
def test_each_run_gives_the_same_counts_until_the_code_changes(sample: Sample) -> None:
    kernel = sample.root / "dsp" / "src" / "vec_add_i32.c"
    before = kernel.read_text()
    first = methods(sample)
    second = methods(sample)
    assert STORE in before
    kernel.write_text(before.replace(STORE, ONE_MORE))
    try:
        third = methods(sample)
    finally:
        kernel.write_text(before)

    assert second == first
    assert first["htp_ops_matvec_q8_0"]["hvx"] > 10_000
    assert first["htp_ops_matvec_q4_0"]["hvx"] > 10_000  # of several threads
    assert first["htp_ops_vec_add_i32"]["bytes_in"] > first["htp_ops_vec_add_i32"]["bytes_copied"]
    one, more = (found.pop("htp_ops_vec_add_i32") for found in (first, third))
    assert third == first
    assert more["hvx"] == one["hvx"]
    assert more["packets"] - one["packets"] > one["calls"]  # one for each vector
    assert more["instructions"] == one["instructions"]  # QEMU does not count nop
