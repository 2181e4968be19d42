"""htp-probe through a dspqueue that does not answer, or is not in libcdsprpc."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .conftest import Sample

OP = ("--op", "matvec_q4_0_queue")


def test_a_queue_without_an_answer_fails_in_time(sample: Sample) -> None:
    source = sample.root / "dsp" / "src" / "queue.c"
    before = source.read_text()
    assert "while (dspqueue_read_noblock(" in before
    source.write_text(before.replace("while (dspqueue", "while (0 && dspqueue"))
    try:
        status, report = sample.probe_json(*OP)
    finally:
        source.write_text(before)

    assert status == 1
    for row in report["results"]:
        assert (row["result"], row["code"], row["name"]) == (
            "call-failed",
            "0x0000000c",
            "AEE_EEXPIRED",
        )
        assert 4 < row["dsp_seconds"] < 60


def test_a_library_without_queues_is_a_finding(sample: Sample, tmp_path: Path) -> None:
    """The program starts without the functions, because it looks them up."""
    assert sample.probe("--help").returncode == 0  # builds and makes the release
    release = tmp_path / "release"
    shutil.copytree(sample.root / ".buildtool" / "release" / "sim", release)
    program = release / "bin" / "htp-probe"
    code = program.read_bytes()
    assert code.count(b"dspqueue_create\0") == 1
    program.write_bytes(code.replace(b"dspqueue_create\0", b"dspqueue_absent\0"))
    device = sample.root / ".buildtool" / "device" / "qcs6490"
    environment = {
        **os.environ,
        "QEMU_LD_PREFIX": str(device),
        "BUILDTOOL_EXEC": "qemu-aarch64",
        "BUILDTOOL_DSP_ARCH": "v68",
    }
    done = subprocess.run(
        [release / "run.sh", "bin/htp-probe", *OP],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment,
    )
    assert done.returncode == 1, done.stderr
    assert "no-queue" in done.stdout
    assert "this libcdsprpc has no dspqueue functions" in done.stdout
