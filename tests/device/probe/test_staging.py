"""matmul_q4_0 stages its weights in VTCM: it waits for copies, and works without VTCM."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from .conftest import Sample

ACQUIRE = "HAP_compute_res_acquire(&attributes, 0)"
WAIT = '__asm__ volatile("%0 = dmwait" : "=r"(status)::"memory")'
DIVIDED = [[131, 1000]]  # the shapes of matvec_q4_0 for which VTCM is acquired and large enough


@pytest.fixture
def staging(sample: Sample) -> Iterator[Sample]:
    source = sample.root / "dsp" / "src" / "staging.c"
    before = source.read_text()
    yield sample
    source.write_text(before)


def replace(sample: Sample, old: str, new: str) -> None:
    source = sample.root / "dsp" / "src" / "staging.c"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))


def rows(sample: Sample, *options: str) -> dict[str, list[list[int]]]:
    """The shapes of matvec_q4_0 by their result."""
    words = ("--op", "matvec_q4_0", "--json")
    done = sample.run("run", "sim", *options, "--", "bin/htp-probe", *words)
    shapes: dict[str, list[list[int]]] = {}
    for row in json.loads(done.stdout)["results"]:
        shapes.setdefault(row["result"], []).append(row["shape"])
    return shapes


def test_results_are_right_without_vtcm(staging: Sample) -> None:
    replace(staging, ACQUIRE, "0")
    assert list(rows(staging, "--strict")) == ["verified"]


def test_a_copy_that_is_not_awaited_is_seen(staging: Sample) -> None:
    """With --strict, a copy is made when the thread waits for it."""
    assert list(rows(staging, "--strict")) == ["verified"]
    replace(staging, WAIT, "status = 0")
    assert rows(staging, "--strict")["mismatch"] == DIVIDED
