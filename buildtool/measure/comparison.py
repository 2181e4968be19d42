"""The result of `buildtool bench`, and the comparison of two releases on one device."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from buildtool.core.files import write_if_changed
from buildtool.core.trees import make_directory
from buildtool.core.value import Described, Value, computed
from buildtool.measure.result import BenchResult, MethodResult, MetricResult
from buildtool.measure.statistics import Interval, noise_floor, ratio_interval
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.documents.runs import (
        ComparisonDocument,
        SweepDocument,
    )

Verdict = Literal["better", "worse", "no difference"]
Counted = Literal["calls", "packets", "instructions", "hvx", "metric"]
COUNTS: tuple[Counted, ...] = ("calls", "packets", "instructions", "hvx")
DIRECTORY = "bench"
"""Below `.buildtool`: the results, each in a file."""


class MetricDifference(Described):
    """The ratio of a metric of this release to that of the other one."""

    name: Annotated[str, "name of [metric.NAME]"]
    ratio: Annotated[float, "median of the ratios of this release to the other one"] = computed(
        lambda self: self.interval.middle
    )
    low: Annotated[
        float, "where the interval begins that has the true ratio with a probability of 99.9 %"
    ] = computed(lambda self: self.interval.low)
    high: Annotated[float, "where it ends"] = computed(lambda self: self.interval.high)
    interval: Interval
    noise: Annotated[float | None, "how much runs of equal releases may seem to differ, as a share"]
    verdict: Annotated[Verdict, "what this release is", ("better", "worse", "no difference")]


class CountDifference(Described):
    """An exact number that two releases do not have in common."""

    skel: Annotated[str, 'file name of the skel; "" for an exact metric']
    method: Annotated[int, "number of the method in the IDL"]
    name: Annotated[str, 'name of the method, "" if it is unknown; name of the metric']
    counted: Annotated[Counted, "what was counted"]
    this: Annotated[float, "number of this release"]
    other: Annotated[float, "number of the other one"]


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


class Against(Value):
    """What a release is compared with: a revision of the project, or the project in another
    directory; another target, or another build type.  Those that are "" are as they are."""

    revision: str = ""
    directory: str = ""
    target: str = ""
    build_type: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


class Benched(Value):
    """The result of a bench, and of what it was compared with, if it was.

    `started` is in seconds since the epoch, `seconds` the wall time of all runs.  Both results are
    of `same_release`, which was not measured, if their files are equal.
    """

    name: str
    started: float
    seconds: float
    this: BenchResult
    against: str = ""
    other: BenchResult | None = None
    same_release: bool = False
    metrics: tuple[MetricDifference, ...] = ()
    counts: tuple[CountDifference, ...] = ()

    @property
    def ok(self) -> bool:
        return self.this.ok and (self.other is None or self.other.ok)

    @property
    def keeps_budgets(self) -> bool:
        return not any(verdict.exceeded for verdict in self.this.budgets)

    def as_json(self, file: Path) -> Mapping[str, Any]:
        """The document that is printed, and kept in `file`."""
        if self.other is None:
            return {
                **self.this.as_json(),
                "bench": self.name,
                "started": round(self.started),
                "seconds": round(self.seconds, 3),
                "file": str(file),
            }
        compared: ComparisonDocument = {
            "bench": self.name,
            "against": self.against,
            "same_release": self.same_release,
            "ok": self.ok,
            "started": round(self.started),
            "seconds": round(self.seconds, 3),
            "this": self.this.as_json(),
            "other": self.other.as_json(),
            "metrics": [difference.as_json() for difference in self.metrics],
            "counts": [difference.as_json() for difference in self.counts],
            "file": str(file),
        }
        return compared


class Swept(Value):
    """The results of a bench for several values of its parameters; the other fields as those of
    `Benched`."""

    name: str
    started: float
    seconds: float
    cells: tuple[tuple[Mapping[str, str], BenchResult], ...]

    @property
    def this(self) -> BenchResult:
        return self.cells[0][1]

    @property
    def keeps_budgets(self) -> bool:
        return True  # they are for the parameters of the project file

    @property
    def ok(self) -> bool:
        return all(result.ok for _, result in self.cells)

    def as_json(self, file: Path) -> SweepDocument:
        """The document that is printed, and kept in `file`."""
        return {
            "bench": self.name,
            "ok": self.ok,
            "started": round(self.started),
            "seconds": round(self.seconds, 3),
            "cells": [
                {"parameters": dict(cell), "result": result.as_json()}
                for cell, result in self.cells
            ],
            "file": str(file),
        }


def keep(project: Project, benched: Benched | Swept) -> Path:
    """Keep the result in a new file below `.buildtool/bench`; returns its path."""
    directory = project.state / DIRECTORY
    moment = time.strftime("%Y%m%d-%H%M%S", time.localtime(benched.started))
    words = benched.name, benched.this.device, benched.this.soc, moment, secrets.token_hex(3)
    file = directory / f"{'-'.join(filter(None, words))}.json"
    make_directory(directory)
    write_if_changed(file, json.dumps(benched.as_json(file), indent=2) + "\n")
    return file
