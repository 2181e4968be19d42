"""htp-probe on the emulated device, with the right kernels."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Sample

OPS = {
    *("vec_add_i32", "matvec_q8_0", "matvec_q4_0", "matvec_q4_0_queue", "matmul_q4_0"),
    *("rms_norm_f32", "softmax_f32", "gated_delta_step_f32"),
    *("matmul_f16_hmx", "matmul_f16_hmx_queue", "matmul_u8i8_hmx"),
}


@pytest.mark.parametrize(
    "build_type", [pytest.param("MinSizeRel", marks=pytest.mark.long), "Debug", "Release"]
)
def test_everything_is_verified(build_type: str, sample: Sample) -> None:
    status, report = sample.probe_json(build_type=build_type)
    assert status == 0
    assert report["ok"] is True
    assert report["skel"] == {"arch": "v68", "vector_bytes": 128}
    assert {row["op"] for row in report["results"]} == OPS
    assert {row["result"] for row in report["results"]} == {"verified"}


@pytest.mark.parametrize(("soc", "arch"), [("SM8550", "v73"), ("SM8650", "v75"), ("SM8750", "v79")])
def test_everything_is_verified_on_newer_archs(soc: str, arch: str, sample: Sample) -> None:
    options = ("--target", "newer", "--soc", soc, "--strict")
    done = sample.run("run", "sim", *options, "--", "bin/htp-probe", "--json")
    report = json.loads(done.stdout)
    assert report["skel"]["arch"] == arch
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
    [
        ["--op", "vec_add"],
        pytest.param(["--seed", "-1"], marks=pytest.mark.long),
        ["--seed", "1x"],
        pytest.param(["--seed"], marks=pytest.mark.long),
        pytest.param(["--jsn"], marks=pytest.mark.long),
        pytest.param(["more"], marks=pytest.mark.long),
    ],
)
def test_wrong_usage_is_two_and_no_report(sample: Sample, arguments: list[str]) -> None:
    done = sample.probe(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "usage: htp-probe" in done.stderr


def test_help_is_printed_to_standard_output(sample: Sample) -> None:
    done = sample.probe("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: htp-probe")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_missing_skel_is_reported_with_possible_causes(
    sample: Sample, form: list[str], tmp_path: Path
) -> None:
    """If the skel of a release is missing, the error has the code, its name, and likely causes."""
    assert sample.probe("--help").returncode == 0  # builds and makes the release
    release = tmp_path / "release"
    shutil.copytree(sample.root / ".buildtool" / "release" / "sim", release)
    (release / "dsp" / "v68" / "libhtp_ops_skel.so").unlink()
    device = sample.root / ".buildtool" / "device" / "qcs6490"
    done = subprocess.run(
        [release / "run.sh", "bin/htp-probe", *form],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={
            **os.environ,
            "QEMU_LD_PREFIX": str(device),
            "BUILDTOOL_EXEC": "qemu-aarch64",
            "BUILDTOOL_DSP_ARCH": "v68",
        },
    )
    assert done.returncode == 1
    assert "opening libhtp_ops_skel.so on the CDSP failed" in done.stderr
    assert "0x80000406 AEE_EUNABLETOLOAD" in done.stderr
    assert "ADSP_LIBRARY_PATH (separated by ';')" in done.stderr
    if form:
        assert json.loads(done.stdout)["error"]["code"] == "0x80000406"
    else:
        assert done.stdout == ""
