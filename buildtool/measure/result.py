"""The result of a bench on one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.measure.measurement import FailedCheck, Measurement
from buildtool.measure.sample import Conditions, Sampler
from buildtool.measure.statistics import Interval, median_interval, noise_floor, outliers
from buildtool.project.benches import Metric
from buildtool.run.method_counts import MethodCounts

if TYPE_CHECKING:
    from buildtool.deploy.ready import Ready
    from buildtool.documents.measurements import BenchResultObject, MethodObject, MetricObject


class MetricResult(Value):
    """A metric: its number in each run, and the interval of their median."""

    name: str
    metric: Metric
    values: tuple[float, ...]
    interval: Interval

    @property
    def noise(self) -> float | None:
        """How much runs of equal releases may seem to differ, as a share; None if it is unknown,
        or the metric exact."""
        return None if self.metric.exact else noise_floor(self.values)

    def as_json(self) -> MetricObject:
        return {
            "name": self.name,
            "unit": self.metric.unit,
            "better": "higher" if self.metric.better == "higher" else "lower",
            "exact": self.metric.exact,
            "median": self.interval.middle,
            "low": self.interval.low,
            "high": self.interval.high,
            "noise": self.noise,
            "outliers": outliers(self.values),
            "values": list(self.values),
        }


class MethodResult(Value):
    """The counts of a method in a run, whether they were others in another run, and the fewest and
    the most packets of a run."""

    counts: MethodCounts
    varies: bool
    low: int
    high: int

    @property
    def uncertainty(self) -> int:
        """By how many packets the counts of runs differ, or can differ, as far as is known."""
        return max(self.high - self.low, self.counts.within)

    @property
    def exact(self) -> bool:
        """Whether the counts can be compared with those of another release."""
        return self.counts.exact and not self.varies

    def as_json(self) -> MethodObject:
        return {
            **self.counts.as_json(),
            "varies": self.varies,
            "packets_low": self.low,
            "packets_high": self.high,
        }


class BenchResult(Value):
    """A bench of one release on one device; without numbers when a check `failed`.

    `set_aside` is the number of runs that do not count, as the device was faster or slower;
    `conditions` are those of the runs that do.
    """

    device: str
    target: str
    release: str
    deployment: str
    soc: str
    arch: str
    runs: int
    failed: tuple[FailedCheck, ...]
    set_aside: int = 0
    metrics: tuple[MetricResult, ...] = ()
    methods: tuple[MethodResult, ...] = ()
    conditions: tuple[Conditions, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.failed

    def as_json(self) -> BenchResultObject:
        return {
            "device": self.device,
            "target": self.target,
            "release": self.release,
            "deployment": self.deployment,
            "arch": self.arch,
            "soc": self.soc,
            "ok": self.ok,
            "runs": self.runs,
            "set_aside": self.set_aside,
            "failed": [check.as_json() for check in self.failed],
            "metrics": [metric.as_json() for metric in self.metrics],
            "methods": [method.as_json() for method in self.methods],
            "conditions": [conditions.as_json() for conditions in self.conditions],
        }


def bench_result(sampler: Sampler, measured: Measurement) -> BenchResult:
    """What the samples that `sampler` took say."""
    ready = sampler.session.ready
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
        *_identity(ready),
        runs=len(measured.samples),
        failed=tuple(failed),
        set_aside=measured.set_aside,
        metrics=() if failed else tuple(metrics),
        methods=() if failed else methods,
        conditions=tuple(each.conditions for each in measured.samples if each.conditions),
    )


def unmeasured_result(ready: Ready) -> BenchResult:
    """The result of a bench that did not run."""
    return BenchResult(*_identity(ready), runs=0, failed=())


def _identity(ready: Ready) -> tuple[str, str, str, str, str, str]:
    return (
        ready.site.device.name,
        ready.release.target,
        ready.release.id,
        ready.deployment.id,
        ready.soc,
        ready.deployment.arch,
    )


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
