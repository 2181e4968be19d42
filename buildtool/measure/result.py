"""The result of a bench on one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from buildtool.core.value import Described, Inline, computed
from buildtool.deploy.contents import ReleaseOnDevice
from buildtool.device.meters import DspUse
from buildtool.measure.measurement import FailedCheck, Measurement
from buildtool.measure.sample import Conditions, Sampler
from buildtool.measure.statistics import Interval, median_interval, noise_floor, outliers
from buildtool.project.benches import Metric
from buildtool.run.budgets import BudgetVerdict
from buildtool.run.dsp_calls import DspCalls
from buildtool.run.method_counts import MethodCounts


class MetricResult(Described):
    """A metric: its number in each run, and the interval of their median."""

    name: Annotated[str, "name of [metric.NAME]"]
    unit: Annotated[str, 'unit of the numbers; "" if it has none'] = computed(
        lambda self: self.metric.unit
    )
    better: Annotated[str, "which values are better", ("lower", "higher")] = computed(
        lambda self: self.metric.better
    )
    exact: Annotated[bool, "whether it is the same in each run"] = computed(
        lambda self: self.metric.exact
    )
    median: Annotated[float, "median of all runs"] = computed(lambda self: self.interval.middle)
    low: Annotated[
        float, "where the interval begins that has the true median with a probability of 95 %"
    ] = computed(lambda self: self.interval.low)
    high: Annotated[float, "where it ends"] = computed(lambda self: self.interval.high)
    noise: Annotated[
        float | None,
        "how much runs of equal releases may seem to differ, as a share; null if unknown",
    ] = computed(lambda self: None if self.exact else noise_floor(self.values))
    outliers: Annotated[
        int, "number of runs that are far from the median; they count as others"
    ] = computed(lambda self: outliers(self.values))
    metric: Metric
    values: Annotated[tuple[float, ...], "the number of each run, in order"]
    interval: Interval


class MethodResult(Described):
    """The counts of a method in a run, and how they differ in others."""

    counts: Inline[MethodCounts]
    varies: Annotated[bool, "whether runs with the same input had other counts"]
    packets_low: Annotated[int, "the fewest packets of a run"]
    packets_high: Annotated[int, "the most packets of a run"]

    @property
    def uncertainty(self) -> int:
        """By how many packets the counts of runs differ, or can differ, as far as is known."""
        return max(self.packets_high - self.packets_low, self.counts.within)

    @property
    def exact(self) -> bool:
        """Whether the counts can be compared with those of another release."""
        return self.counts.exact and not self.varies


class BenchResult(ReleaseOnDevice, kw_only=True):
    """A bench of one release on one device; without numbers when a check `failed`."""

    soc: Annotated[
        str, 'SoC of the device, and the DSP unless that is the cdsp; "" if it is unknown'
    ]
    ok: Annotated[bool, "whether all checks passed in all runs; there are no numbers if not"] = (
        computed(lambda self: not self.failed)
    )
    runs: Annotated[int, "number of runs that count"]
    set_aside: Annotated[
        int, "number of runs that do not count, as the device was faster or slower"
    ] = 0
    failed: Annotated[tuple[FailedCheck, ...], "checks that failed"]
    metrics: Annotated[tuple[MetricResult, ...], "numbers that the program printed"] = ()
    methods: Annotated[
        tuple[MethodResult, ...],
        "on the emulated device, what the DSP executed for each method in a run",
    ] = ()
    conditions: Annotated[
        tuple[Conditions, ...], "speed of the device after each run that counts; none on sim"
    ] = ()
    dsp: Annotated[
        DspUse | None,
        "meters of the DSP during all runs; null without libqcnpuperf on the device",
    ] = None
    budgets: Annotated[
        tuple[BudgetVerdict, ...], "limits of [budget.NAME] for the bench and its methods"
    ] = ()
    calls: DspCalls | None = None


def bench_result(sampler: Sampler, measured: Measurement) -> BenchResult:
    """What the samples that `sampler` took say."""
    failed = list(measured.failed)
    metrics, methods = [], method_results(measured)
    for name, metric in sampler.metrics.items() if not failed else ():
        values = tuple(measured.values(name))
        metrics.append(MetricResult(name, metric, values, median_interval(values)))
        if metric.exact and len(set(values)) > 1:
            message = f"it is exact, and was {min(values):g} and {max(values):g}"
            times = sum(value != values[0] for value in values)
            failed.append(FailedCheck(f"metric {name}", message, times, len(values)))
    if not (failed or metrics or methods):
        message = (
            "the program called no DSP method and printed no exact metric: nothing is measured"
        )
        failed.append(FailedCheck("counts", message, len(measured.samples), len(measured.samples)))
    return BenchResult(
        **sampler.place,
        runs=len(measured.samples),
        failed=tuple(failed),
        set_aside=measured.set_aside,
        metrics=() if failed else tuple(metrics),
        methods=() if failed else methods,
        conditions=tuple(each.conditions for each in measured.samples if each.conditions),
        calls=next((each.calls for each in measured.samples if each.calls), None),
    )


def unmeasured_result(sampler: Sampler) -> BenchResult:
    """The result of a bench that did not run."""
    return BenchResult(**sampler.place, runs=0, failed=())


def method_results(measured: Measurement) -> tuple[MethodResult, ...]:
    """The counts of each method in the first run that has it, compared with those of the others."""
    runs: Sequence[dict[tuple[str, int], MethodCounts]] = [
        {(one.skel, one.method): one for one in sample.methods} for sample in measured.samples
    ]
    if not runs:
        return ()
    every = {key: counts for run in reversed(runs) for key, counts in run.items()}
    return tuple(
        _method_result(counts, [run.get(key) for run in runs])
        for key, counts in sorted(every.items())
    )


def _method_result(first: MethodCounts, runs: Sequence[MethodCounts | None]) -> MethodResult:
    packets = [counts.packets if counts else 0 for counts in runs]
    varies = any(not counts or counts.comparable != first.comparable for counts in runs)
    unsure = max((counts for counts in runs if counts), key=lambda counts: counts.within)
    exact = all(counts.exact for counts in runs if counts)
    counts = first._replace(within=unsure.within, exact=exact)
    return MethodResult(counts, varies, min(packets), max(packets))
