"""The counts of methods in several runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.cli.devices.bench_table import show_benched
from buildtool.measure.comparison import Swept
from buildtool.measure.measurement import Measurement
from buildtool.measure.result import BenchResult, method_results
from buildtool.measure.sample import Sample
from buildtool.run.method_counts import QUEUES, MethodCounts


def row(packets: int, method: int = 2, *, waiting: int = 0, within: int = 0) -> MethodCounts:
    return MethodCounts(
        skel="libx_skel.so",
        method=method,
        calls=1,
        packets=packets,
        instructions=packets,
        hvx=0,
        waiting=waiting,
        within=within,
        exact=not within,
        bytes_in=0,
        bytes_out=0,
        bytes_copied=0,
    )


def measured(*runs: tuple[MethodCounts, ...]) -> Measurement:
    samples = tuple(Sample(1, 0.0, (), {}, {}, methods) for methods in runs)
    return Measurement(samples, (), 0)


def test_how_long_threads_wait_is_no_difference() -> None:
    (found,) = method_results(measured((row(100, waiting=5),), (row(100, waiting=9),)))
    assert not found.varies
    assert found.exact
    assert found.uncertainty == 0


@pytest.mark.parametrize(
    ("second", "varies", "uncertainty"),
    [(row(104), True, 4), (row(100, within=256), False, 256), (row(90, within=8), True, 10)],
)
def test_what_can_differ_is_not_exact(second: MethodCounts, varies: bool, uncertainty: int) -> None:
    (found,) = method_results(measured((row(100),), (second,)))
    assert (found.varies, found.uncertainty) == (varies, uncertainty)
    assert not found.exact


def test_a_sweep_says_by_how_much_counts_differ(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [(row(1000), row(packets, QUEUES, waiting=70)) for packets in (500, 503)]
    result = BenchResult(
        *("sim", "sim", "release", "deployment", "v68"),
        soc="QCS6490",
        runs=2,
        failed=(),
        methods=method_results(measured(*runs)),
    )
    swept = Swept("b", 0.0, 0.0, (({"n": "4"}, result),))
    show_benched(swept, Path("kept.json"), as_json=False, markdown=True)
    shown = capsys.readouterr().out
    assert "| packets | instructions | hvx | waiting |" in shown.replace("  ", " ")
    assert "1,500 ±0.20%" in shown
    assert "n 4: method 4294967295 of libx_skel.so: runs with the same input have" in shown
    assert "500 to 503 packets" in shown
