"""Compares the benches of two releases on one device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from buildtool.core.value import Value
from buildtool.measure.result import BenchResult, MethodResult, MetricResult
from buildtool.measure.statistics import Interval, noise_floor, ratio_interval

if TYPE_CHECKING:
    from buildtool.documents.measurements import CountDifferenceObject, MetricDifferenceObject

Verdict = Literal["better", "worse", "no difference"]
Counted = Literal["calls", "packets", "instructions", "hvx", "metric"]
COUNTS: tuple[Counted, ...] = ("calls", "packets", "instructions", "hvx")


class MetricDifference(Value):
    """The ratio of a metric of this release to that of the other one; `noise` is how much equal
    releases differ, as a share."""

    name: str
    ratio: Interval
    noise: float | None
    verdict: Verdict

    def as_json(self) -> MetricDifferenceObject:
        return {
            "name": self.name,
            "ratio": self.ratio.middle,
            "low": self.ratio.low,
            "high": self.ratio.high,
            "noise": self.noise,
            "verdict": self.verdict,
        }


class CountDifference(Value):
    """An exact number that two releases do not have in common."""

    skel: str
    method: int
    name: str
    counted: Counted
    this: float
    other: float

    def as_json(self) -> CountDifferenceObject:
        return {
            "skel": self.skel,
            "method": self.method,
            "name": self.name,
            "counted": self.counted,
            "this": self.this,
            "other": self.other,
        }


def metric_differences(this: BenchResult, other: BenchResult) -> Iterator[MetricDifference]:
    """The ratio of each metric that is no exact number; runs of both were made in turn."""
    for ours, theirs in zip(this.metrics, other.metrics, strict=True):
        if not ours.metric.exact:
            yield _difference(ours, theirs)


def _difference(this: MetricResult, other: MetricResult) -> MetricDifference:
    ratio = ratio_interval(zip(this.values, other.values, strict=True))
    noise = noise_floor(this.values, other.values)
    beyond = noise is not None and abs(ratio.middle - 1) > noise
    certain = beyond and not ratio.low <= 1 <= ratio.high
    better = (ratio.middle < 1) == (this.metric.better == "lower")
    verdict: Verdict = "no difference" if not certain else "better" if better else "worse"
    return MetricDifference(this.name, ratio, noise, verdict)


def count_differences(this: BenchResult, other: BenchResult) -> Iterator[CountDifference]:
    """The exact numbers that differ: counts of methods, and exact metrics.  Counts that differ from
    run to run are not compared."""
    ours, theirs = _by_method(this), _by_method(other)
    for key in sorted(ours.keys() | theirs.keys()):
        one, another = ours.get(key), theirs.get(key)
        if not all(each.exact for each in (one, another) if each):
            continue
        name = one.counts.name if one else another.counts.name if another else ""
        for count in COUNTS:
            numbers = [getattr(each.counts, count) if each else 0 for each in (one, another)]
            if numbers[0] != numbers[1]:
                yield CountDifference(*key, name, count, *numbers)
    for mine, yours in zip(this.metrics, other.metrics, strict=True):
        if mine.metric.exact and mine.interval.middle != yours.interval.middle:
            values = mine.interval.middle, yours.interval.middle
            yield CountDifference("", 0, mine.name, "metric", *values)


def _by_method(result: BenchResult) -> dict[tuple[str, int], MethodResult]:
    return {(each.counts.skel, each.counts.method): each for each in result.methods}
