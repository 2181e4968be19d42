"""What `bench` and `bisect` print, and all commands with `--on`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from buildtool.documents.builds import BuildDocument, ErrorDocument
from buildtool.documents.runs import (
    DeployDocument,
    MethodCountsObject,
    ReleaseObject,
    RunDocument,
    TestDocument,
)

FailedCheckObject = Annotated[dict[str, Any], "buildtool.measure.measurement:FailedCheck"]


class MetricObject(TypedDict):
    name: Annotated[str, "name of [metric.NAME]"]
    unit: Annotated[str, 'unit of the numbers; "" if it has none']
    better: Annotated[str, "which values are better", ("lower", "higher")]
    exact: Annotated[bool, "whether it is the same in each run"]
    median: Annotated[float, "median of all runs"]
    low: Annotated[
        float, "where the interval begins that has the true median with a probability of 95 %"
    ]
    high: Annotated[float, "where it ends"]
    noise: Annotated[
        float | None,
        "how much runs of equal releases may seem to differ, as a share; null if unknown",
    ]
    outliers: Annotated[int, "number of runs that are far from the median; they count as others"]
    values: Annotated[list[float], "the number of each run, in order"]


class MethodObject(MethodCountsObject):
    varies: Annotated[bool, "whether runs with the same input had other counts"]
    packets_low: Annotated[int, "the fewest packets of a run"]
    packets_high: Annotated[int, "the most packets of a run"]


class ConditionsObject(TypedDict):
    loop_seconds: Annotated[float, "processor time of a loop in the device's shell; 0 if unknown"]
    clocks_khz: Annotated[list[int], "clock of each cluster of its processors"]
    temperature: Annotated[float, "highest temperature in °C; 0 if unknown"]


class BenchResultObject(ReleaseObject):
    soc: Annotated[str, 'SoC of the device; "" if it is unknown']
    ok: Annotated[bool, "whether all checks passed in all runs; there are no numbers if not"]
    runs: Annotated[int, "number of runs that count"]
    set_aside: Annotated[
        int, "number of runs that do not count, as the device was faster or slower"
    ]
    failed: Annotated[list[FailedCheckObject], "checks that failed"]
    metrics: Annotated[list[MetricObject], "numbers that the program printed"]
    methods: Annotated[
        list[MethodObject], "on the emulated device, what the DSP executed for each method in a run"
    ]
    conditions: Annotated[
        list[ConditionsObject], "speed of the device after each run that counts; none on sim"
    ]


class BenchDocument(BenchResultObject):
    bench: Annotated[str, "name of [bench.NAME]"]
    started: Annotated[int, "when the first run began, in seconds since the epoch"]
    seconds: Annotated[float, "wall time of all runs"]
    file: Annotated[str, "the file that keeps this document"]


class MetricDifferenceObject(TypedDict):
    name: Annotated[str, "name of [metric.NAME]"]
    ratio: Annotated[float, "median of the ratios of this release to the other one"]
    low: Annotated[
        float, "where the interval begins that has the true ratio with a probability of 99.9 %"
    ]
    high: Annotated[float, "where it ends"]
    noise: Annotated[float | None, "how much runs of equal releases may seem to differ, as a share"]
    verdict: Annotated[str, "what this release is", ("better", "worse", "no difference")]


CountDifferenceObject = Annotated[dict[str, Any], "buildtool.measure.comparison:CountDifference"]


class ComparisonDocument(TypedDict):
    """What `bench --against` prints."""

    bench: Annotated[str, "name of [bench.NAME]"]
    against: Annotated[str, "what the release is compared with"]
    same_release: Annotated[bool, "whether both are the same files; nothing was measured then"]
    ok: Annotated[bool, "whether all checks passed in all runs of both releases"]
    started: Annotated[int, "when the first run began, in seconds since the epoch"]
    seconds: Annotated[float, "wall time of all runs"]
    this: Annotated[BenchResultObject, "the release of the working tree"]
    other: Annotated[BenchResultObject, "the release that it is compared with"]
    metrics: Annotated[list[MetricDifferenceObject], "a row for each metric that is a time"]
    counts: Annotated[list[CountDifferenceObject], "exact numbers that differ"]
    file: Annotated[str, "the file that keeps this document"]


class CellObject(TypedDict):
    parameters: Annotated[dict[str, str], "values of the parameters that were swept"]
    result: Annotated[BenchResultObject, "result with these values"]


class SweepDocument(TypedDict):
    """What `bench --sweep` prints."""

    bench: Annotated[str, "name of [bench.NAME]"]
    ok: Annotated[bool, "whether all checks passed in all runs"]
    started: Annotated[int, "when the first run began, in seconds since the epoch"]
    seconds: Annotated[float, "wall time of all runs"]
    cells: Annotated[list[CellObject], "a row for each combination of values"]
    file: Annotated[str, "the file that keeps this document"]


VerdictObject = Annotated[dict[str, Any], "buildtool.measure.revisions:Verdict"]


class BisectDocument(TypedDict):
    device: Annotated[str, "name of the device"]
    found: Annotated[bool, "whether one commit is the first bad one"]
    suspects: Annotated[list[str], "ids of the commits that can be the first bad one"]
    subject: Annotated[str, "short id and first line of the message of the first of them"]
    tried: Annotated[list[VerdictObject], "commits that were tried, in order"]


class OnDeviceObject(TypedDict):
    device: Annotated[str, "name of the device; sim:SOC for an emulated one"]
    release: Annotated[str, "id of the release on this machine"]
    status: Annotated[int, "exit status on this device"]
    seconds: Annotated[float, "wall time, with pushing"]
    document: Annotated[
        DeployDocument
        | RunDocument
        | TestDocument
        | BenchDocument
        | ComparisonDocument
        | SweepDocument
        | BuildDocument
        | ErrorDocument
        | None,
        "what the command prints for this device; null for nothing",
    ]


class OnDevicesDocument(TypedDict):
    """What a command with --on prints."""

    ok: Annotated[
        bool,
        "whether no device failed: all statuses are 0; for `test`, a device that lacks what its"
        " target requires does not count",
    ]
    devices: Annotated[list[OnDeviceObject], "a row for each device, in the order of --on"]
