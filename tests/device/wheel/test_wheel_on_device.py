"""The wheel of the sample, installed by pip into an ARM64 Python on the emulated device."""

from __future__ import annotations

import base64
import csv
import hashlib

import pytest

from tests.device.arm64_python import Venv
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
THREADS = """
import threading
from htp_ops import HtpOps

def work(ops, number):
    for _ in range(10):
        numbers = [number] * 1000
        assert set(ops.vec_add_i32(numbers, numbers, 1000)) == {2 * number}
    done.append(number)

done = []
with HtpOps() as one, HtpOps() as two:
    threads = [threading.Thread(target=work, args=(ops, n)) for n, ops in enumerate((one, two) * 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(sorted(done))
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
def venv(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Venv:
    """A virtual environment with the wheel, on a device that has run a program before."""
    sample.succeeds("package", "sim", "--format", "wheel")
    assert sample.probe().returncode == 0
    (wheel,) = (sample.root / "dist").iterdir()
    assert wheel.name == "htp_ops-0.0.0-py3-none-manylinux_2_35_aarch64.whl"
    (device,) = (sample.root / ".buildtool" / "device").iterdir()
    venv = Venv(tmp_path_factory.mktemp("venv"), device)
    venv.pip("install", "--no-index", "--no-compile", str(wheel))
    return venv


def test_kernels_are_called_from_python(venv: Venv) -> None:
    assert venv.run(ADD).splitlines() == [
        "HtpOpsInfoResult(arch=68, vector_bytes=128) {2147483647} {2147483647} 1000",
        "[11, 22]",
        "[64.0]",
        "htp_ops_vec_add_i32: 0x8000040e AEE_EBADPARM: invalid parameter 2147484686",
    ]


def test_threads_share_interfaces(venv: Venv) -> None:
    assert venv.run(THREADS) == "[0, 1, 2, 3]\n"


def test_the_skels_are_those_for_the_dsp_of_the_device(venv: Venv) -> None:
    skels = venv.site / "htp_ops" / "dsp" / "v68"
    elsewhere = {"ADSP_LIBRARY_PATH": "/first;/second", "DSP_LIBRARY_PATH": "/wrong"}
    assert venv.run(ARCH) == f"v68 {skels} False\n"
    assert venv.run(ARCH, **elsewhere) == f"v68 {skels};/first;/second False\n"
    given = venv.run(ARCH, BUILDTOOL_DSP_ARCH="v73")
    assert given == "BUILDTOOL_DSP_ARCH is 'v73'; this package has skels for v68\n"


def test_an_unknown_arch_is_an_error_that_says_what_to_set(venv: Venv) -> None:
    unconfigured = {"BUILDTOOL_SIM_CONF": "/nonexistent"}  # then libcdsprpc reaches no DSP
    text = venv.run(ARCH, **unconfigured)
    assert text == (
        "the DSP arch of this device is unknown: remote_handle_control returned 0x72;"
        " set BUILDTOOL_DSP_ARCH to one of: v68\n"
    )


def test_pip_installs_what_is_recorded_and_nothing_else(venv: Venv) -> None:
    (info,) = venv.site.glob("*.dist-info")
    with (info / "RECORD").open(encoding="utf-8", newline="") as stream:
        rows = {name: (digest, size) for name, digest, size in csv.reader(stream)}
    installed = {str(p.relative_to(venv.site)) for p in venv.site.rglob("*") if p.is_file()}
    assert {name for name in installed if "__pycache__" not in name} == rows.keys()
    for name, (digest, size) in rows.items():
        content = (venv.site / name).read_bytes()
        sha256 = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert name == f"{info.name}/RECORD" or (digest, size) == (
            f"sha256={sha256}",
            f"{len(content)}",
        )
