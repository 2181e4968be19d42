"""The matrix products of the sample on HMX: odd shapes, chips without HMX, and wrong kernels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from .conftest import Sample

HALVES = ("matmul_f16_hmx", "matmul_f16_hmx_queue")
OPS = (*HALVES, "matmul_u8i8_hmx")
LONG = pytest.mark.long
TABLE = r"(const struct probe_case probe_cases\[\] = \{\n).*?(\n\};)"


@pytest.fixture
def changed(sample: Sample) -> Iterator[Sample]:
    """The sample, whose sources are afterwards what they were."""
    sources = [sample.root / "dsp/src" / name for name in ("matmul_hmx.c", "hmx_tiles.c")]
    sources.append(sample.root / "host/src/probe_ops.c")
    before = [source.read_text() for source in sources]
    yield sample
    for source, text in zip(sources, before, strict=True):
        source.write_text(text)


def replace(source: Path, old: str, new: str) -> None:
    text = source.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    source.write_text(text.replace(old, new), encoding="utf-8")


def cases(sample: Sample, shapes: list[tuple[str, int, int, int]]) -> None:
    """Give the probe other cases."""
    source = sample.root / "host/src/probe_ops.c"
    lines = ", ".join(f"{macro}({a}, {b}, {c})" for macro, a, b, c in shapes)
    text, count = re.subn(TABLE, rf"\g<1>{lines}\g<2>", source.read_text(), flags=re.DOTALL)
    assert count == 1
    source.write_text(text)


def results(sample: Sample, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit status, and the rows of products on HMX."""
    done = sample.run("run", "sim", *options, "--", "bin/htp-probe", "--json")
    rows = json.loads(done.stdout)["results"]
    return done.returncode, [row for row in rows if row["op"] in OPS]


@pytest.mark.parametrize(
    ("count", "target", "soc"),
    [
        (2, "newer", "SM8550"),
        pytest.param(40, "sim", "QCS6490", marks=LONG),
        pytest.param(40, "newer", "SM8750", marks=LONG),
    ],
)
def test_odd_shapes_are_verified(changed: Sample, count: int, target: str, soc: str) -> None:
    """Random sizes from 1 to 200, in pairs of threads that take turns, by calls and by a queue."""
    random = Random(f"{soc} {count}")
    shapes = [(1, 200, 1), (200, 1, 3), (2, 3, 200), (65, 97, 33)]
    shapes += [tuple(random.randint(1, 200) for _ in range(3)) for _ in range(count)]  # type: ignore[misc]
    macros = ("F16", "F16_QUEUE", "U8I8")
    cases(changed, [(macro, *shape) for shape in shapes for macro in macros])
    status, rows = results(changed, "--target", target, "--soc", soc, "--strict")
    assert status == 0
    assert [row["shape"] for row in rows] == [list(shape) for shape in shapes for _ in macros]
    assert {row["result"] for row in rows} == {"verified"}


def test_a_chip_without_hmx_has_no_result(sample: Sample) -> None:
    """The other operations are verified, so the probe succeeds."""
    status, rows = results(sample, "--target", "newer", "--soc", "SM8635")
    assert status == 0
    assert {row["result"] for row in rows} == {"no-hmx"}


def test_a_chip_whose_float_half_is_fused_off_is_seen(sample: Sample) -> None:
    status, rows = results(sample, "--target", "newer", "--soc", "SM8550,hmx=zeros")
    assert status == 1
    for row in rows:
        assert row["result"] == ("mismatch" if row["op"] in HALVES else "verified")
        assert row.get("got", 0) == 0


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("hmx_tiles.c", "Q6_W_vshuff_VVR(odd, even, -2)", "Q6_W_vshuff_VVR(even, odd, -2)"),
        pytest.param(
            "matmul_hmx.c",
            "activations + part * part_bytes, weights, product->depth);\n            else",
            "activations, weights, product->depth);\n            else",
            marks=LONG,
            id="first part only",
        ),
    ],
)
def test_a_wrong_product_of_halves_is_seen(changed: Sample, file: str, old: str, new: str) -> None:
    replace(changed.root / "dsp/src" / file, old, new)
    status, rows = results(changed)
    assert status == 1
    wrong = {row["op"] for row in rows if row["result"] == "mismatch"}
    assert "matmul_f16_hmx" in wrong
    assert "matmul_u8i8_hmx" not in wrong


def test_a_product_without_the_lock_stops(changed: Sample) -> None:
    replace(
        changed.root / "dsp/src/matmul_hmx.c",
        "code = HAP_compute_res_hmx_lock(product->context);",
        "code = AEE_SUCCESS;",
    )
    done = changed.run("run", "sim", "--", "bin/htp-probe", "--op", "matmul_f16_hmx")
    assert done.returncode == 1
    assert "call failed" in done.stdout
    assert "lock" in done.stderr
