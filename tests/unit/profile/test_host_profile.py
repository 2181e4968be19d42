"""Profiles of a device's `perf` and `simpleperf`, from what they print."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from buildtool.run.profile.profiled_run import (
    Frame,
    host_profile,
    perf_samples,
    simpleperf_samples,
)

# The form of `perf script` of Linux 6.1, and of `simpleperf report-sample --show-callchain`.
PERF = """\
my-project  2345 1234.567890:     250000 cycles:u:
\t          401a2c multiply+0x4c (/home/me/buildtool/my-project/bin/my-project)
\t          401b10 main+0x20 (/home/me/buildtool/my-project/bin/my-project)
\t    ffff8a0e73fb [unknown] (/usr/lib/aarch64-linux-gnu/libc.so.6)

my-project  2345 1234.568890:     250000 cycles:u:
\t    ffff8a0e9000 operator new(unsigned long)+0x10 (/usr/lib/libstdc++.so.6.0.30)
\t          401b10 main+0x24 (/home/me/buildtool/my-project/bin/my-project)

"""
SIMPLEPERF = """\
sample:
  event_type: cpu-cycles:u
  time: 1234567
  event_count: 250000
  thread_id: 2345
  thread_name: my-project
  vaddr_in_file: 1a2c
  file: /data/local/tmp/buildtool/my-project/bin/my-project
  symbol: multiply
  callchain:
    vaddr_in_file: 1b10
    file: /data/local/tmp/buildtool/my-project/bin/my-project
    symbol: main
sample:
  event_type: cpu-cycles:u
  vaddr_in_file: 9000
  file: /apex/com.android.runtime/lib64/bionic/libc.so
  symbol: memcpy
"""


def test_perf() -> None:
    found = host_profile(perf_samples(PERF), {}, "perf")

    assert found.stacks == {
        ("[libc.so.6]", "main", "multiply"): 1,
        ("main", "operator new(unsigned long)"): 1,
    }
    rows = {row.name: (row.self_samples, row.total_samples, row.module) for row in found.functions}
    assert rows["main"] == (0, 2, "my-project")
    assert rows["multiply"] == (1, 1, "my-project")
    assert found.samples == 2
    assert "perf" in found.measure


def test_simpleperf() -> None:
    first, second = simpleperf_samples(SIMPLEPERF)

    file = "/data/local/tmp/buildtool/my-project/bin/my-project"
    assert first == (Frame("multiply", file, 0x1A2C), Frame("main", file, 0x1B10))
    assert second[0].name == "memcpy"
    stacks = host_profile(simpleperf_samples(SIMPLEPERF), {}, "simpleperf").stacks
    assert stacks == {("main", "multiply"): 1, ("memcpy",): 1}


@given(st.text(alphabet="\n\t :()+x01af[]symbolfilesample", max_size=300))
def test_any_text(text: str) -> None:
    for samples in (perf_samples(text), simpleperf_samples("sample:\n  symbol: " + text)):
        host_profile(samples, {}, "perf")
