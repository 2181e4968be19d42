"""The wheel of the sample, installed by pip, in an ARM64 Python on the emulated device."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device.arm64_python import run_python
from tests.device.probe.conftest import Sample, sample

__all__ = ["sample"]
ADD = """
import array
from htp_ops import FastRpcError, HtpOps

with HtpOps() as ops:
    a, total = array.array("i", range(1000)), array.array("i", bytes(4000))
    result = ops.vec_add_i32(a, [2**31 - 1 - n for n in a], total)
    print(ops.info(), set(result), set(total), len(result))
    print(ops.vec_add_i32([1, 2], [10, 20], 2).tolist())
    y = ops.matvec_q8_0(1, 32, b"\\x00\\x3c" + bytes([1] * 32), b"\\x00\\x3c" + bytes([2] * 32), 1)
    print(y.tolist())
    try:
        ops.vec_add_i32([1], [1, 2], 1)
    except FastRpcError as error:
        print(error, error.code)
"""
ARCH = """
import os
from htp_ops import LibraryError, dsp_arch, load_library
try:
    load_library("libhtp_ops.so")
    print(dsp_arch(), os.environ["ADSP_LIBRARY_PATH"], "DSP_LIBRARY_PATH" in os.environ)
except LibraryError as error:
    print(error)
"""


@pytest.fixture(scope="session")
def site(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the wheel installed; the emulated device has run a program."""
    sample.succeeds("package", "sim", "--format", "wheel")
    assert sample.probe().returncode == 0
    (wheel,) = (sample.root / "dist").iterdir()
    assert wheel.name == "htp_ops-0.0.0-py3-none-manylinux_2_35_aarch64.whl"
    target = tmp_path_factory.mktemp("site")
    install(target, wheel)
    return target


def install(target: Path, wheel: Path) -> None:
    options = ["--platform", "manylinux_2_35_aarch64", "--only-binary=:all:", "--target"]
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-index", *options]
    subprocess.run([*command, target, wheel], check=True, timeout=120)


def run(sample: Sample, site: Path, script: str, **variables: str) -> str:
    (device,) = (sample.root / ".buildtool" / "device").iterdir()
    done = run_python(device, script, {"PYTHONPATH": str(site), **variables})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_kernels_are_called_from_python(sample: Sample, site: Path) -> None:
    assert run(sample, site, ADD).splitlines() == [
        "HtpOpsInfoResult(arch=68, vector_bytes=128) {2147483647} {2147483647} 1000",
        "[11, 22]",
        "[64.0]",
        "htp_ops_vec_add_i32: 0x8000040e AEE_EBADPARM: invalid parameter 2147484686",
    ]


def test_the_skels_are_those_for_the_dsp_of_the_device(sample: Sample, site: Path) -> None:
    skels = site / "htp_ops" / "dsp" / "v68"
    elsewhere = {"ADSP_LIBRARY_PATH": "/first;/second", "DSP_LIBRARY_PATH": "/wrong"}
    assert run(sample, site, ARCH) == f"v68 {skels} False\n"
    assert run(sample, site, ARCH, **elsewhere) == f"v68 {skels};/first;/second False\n"
    given = run(sample, site, ARCH, BUILDTOOL_DSP_ARCH="v73")
    assert given == "BUILDTOOL_DSP_ARCH is 'v73'; this package has skels for v68\n"


def test_an_unknown_arch_is_an_error_that_says_what_to_set(sample: Sample, site: Path) -> None:
    unconfigured = {"BUILDTOOL_SIM_CONF": "/nonexistent"}  # then libcdsprpc reaches no DSP
    text = run(sample, site, ARCH, **unconfigured)
    assert text == (
        "the DSP arch of this device is unknown: remote_handle_control returned 0x72;"
        " set BUILDTOOL_DSP_ARCH to one of: v68\n"
    )


def test_pip_finds_every_file_as_it_is_recorded(site: Path) -> None:
    (info,) = site.glob("*.dist-info")
    with (info / "RECORD").open(encoding="utf-8", newline="") as stream:
        rows = {row[0] for row in csv.reader(stream)}
    installed = {str(p.relative_to(site)) for p in site.rglob("*") if p.is_file()}
    assert {name for name in installed if "__pycache__" not in name} <= rows
    shown = subprocess.run(
        [sys.executable, "-m", "pip", "show", "-f", "htp-ops"],
        env={"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Version: 0.0.0" in shown.stdout
    assert "htp_ops/dsp/v68/libhtp_ops_skel.so" in shown.stdout
