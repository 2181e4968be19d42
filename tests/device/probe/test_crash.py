"""What names the code of a kernel that crashes or does not end."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.command_line import REPOSITORY
from tests.device.probe.conftest import Sample

KERNEL = """\
#include "kernels.h"

static __attribute__((noinline)) void step(volatile int32_t *sum)
{
    *sum = 1; /* line 5 */
}

void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    (void)a, (void)b, (void)sum, (void)count;
    step((volatile int32_t *)16);
}
"""


def test_a_crash_on_the_dsp_is_reported_with_its_line(sample: Sample, tmp_path: Path) -> None:
    """The process on the DSP has ended: each call fails, and the code is explained."""
    kernel = tmp_path / "crash.c"
    kernel.write_text(KERNEL)
    sample.replace_kernel("vec_add_i32", kernel)
    try:
        status, report = sample.probe_json("--op", "vec_add_i32")
        done = sample.probe("--op", "vec_add_i32")
    finally:
        sample.replace_kernel("vec_add_i32", REPOSITORY / "dsp/src/vec_add_i32.c")

    assert status == 1
    assert {row["result"] for row in report["results"]} == {"call-failed"}
    assert report["results"][0]["code"] == "0x8000040d"
    assert report["results"][0]["name"] == "AEE_EBADSTATE"
    assert done.returncode == 1
    assert "call failed 0x8000040d" in done.stdout
    assert "the process on the DSP crashed" in done.stdout
    found = re.search(r"code at (libhtp_ops_skel\.so)\+(0x[0-9a-f]+)", done.stderr)
    assert found, done.stderr
    debug = sample.root / f".buildtool/debug/sim/dsp/v68/{found[1]}.debug"
    line = subprocess.run(
        ["llvm-addr2line", "-f", "-e", debug, found[2]],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert re.fullmatch(r"step\n.*vec_add_i32\.c:5\n", line.stdout), line.stdout


def test_kernel_that_does_not_end_is_named(sample: Sample, tmp_path: Path) -> None:
    kernel = tmp_path / "endless.c"
    kernel.write_text(KERNEL.replace("step((volatile int32_t *)16);", "for (;;) step(sum);"))
    sample.replace_kernel("vec_add_i32", kernel)
    try:
        sample.run("build", "sim")
        done = sample.run("run", "sim", "--timeout", "3s", "--", "bin/htp-probe")
    finally:
        sample.replace_kernel("vec_add_i32", REPOSITORY / "dsp/src/vec_add_i32.c")
    skel = r"libhtp_ops_skel\.so"
    line = rf"method 3 of {skel} has been running for \d s, code at {skel}\+0x"
    assert "did not end in 3 s" in done.stderr
    assert re.search(line, done.stderr), done.stderr
    named = re.search(
        rf"^htp_ops_vec_add_i32, method 3 of {skel}, has been running for \d s\n"
        r"(  (at|by) .*\n)*?  (at|by) vec_add_i32 \(vec_add_i32\.c:\d+\)\n"
        r"  by htp_ops_vec_add_i32 \(\w+\.c:\d+\)\n",
        done.stderr.replace("note: ", ""),
        re.MULTILINE,
    )
    assert named, done.stderr
