"""htp-probe on the emulated device, with the kernels as they are."""

from __future__ import annotations

import pytest

from .conftest import Sample

OPS = {"vec_add_i32", "matvec_q8_0"}


def test_everything_is_verified(sample: Sample) -> None:
    status, report = sample.probe_json()
    assert status == 0
    assert report["ok"] is True
    assert report["skel"] == {"arch": "v68", "vector_bytes": 128}
    assert {row["op"] for row in report["results"]} == OPS
    assert {row["result"] for row in report["results"]} == {"verified"}


def test_table_fits_a_terminal(sample: Sample) -> None:
    done = sample.probe()
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if line.split(" ")[0] in OPS]
    assert rows
    assert all(" verified " in row for row in rows)
    assert f"{len(rows)} of {len(rows)} verified against the CPU" in done.stdout


def test_one_operation(sample: Sample) -> None:
    status, report = sample.probe_json("--op", "matvec_q8_0")
    assert status == 0
    assert {row["op"] for row in report["results"]} == {"matvec_q8_0"}


def test_the_seed_decides_the_inputs(sample: Sample) -> None:
    errors = []
    for seed in ("7", "7", "8"):
        status, report = sample.probe_json("--op", "matvec_q8_0", "--seed", seed)
        assert status == 0
        assert report["seed"] == int(seed)
        errors.append([row["max_error"] for row in report["results"]])
    assert errors[0] == errors[1] != errors[2]


@pytest.mark.parametrize(
    "arguments",
    [["--op", "vec_add"], ["--seed", "-1"], ["--seed", "1x"], ["--seed"], ["--jsn"], ["more"]],
)
def test_wrong_usage_is_two_and_no_report(sample: Sample, arguments: list[str]) -> None:
    done = sample.probe(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "usage: htp-probe" in done.stderr


def test_help_goes_to_standard_output(sample: Sample) -> None:
    done = sample.probe("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: htp-probe")
