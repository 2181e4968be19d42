"""What `deploy`, `rollback`, `run`, `capture`, `test`, `bench` and `bisect` print, and all commands
with `--on`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from buildtool.documents import Extended
from buildtool.documents.builds import BuildDocument, ErrorDocument

DeployDocument = Annotated[dict[str, Any], "buildtool.deploy.site:Deployed"]


class RollbackDocument(TypedDict):
    device: Annotated[str, "name of the device"]
    former: Annotated[str, "id of the release that was current"]
    current: Annotated[str, "id of the release that is current now"]


FirstFindingObject = Annotated[dict[str, Any], "buildtool.run.first_finding:FirstFinding"]


MethodCountsObject = Annotated[dict[str, Any], "buildtool.run.method_counts:MethodCounts"]


DspMethodObject = Annotated[dict[str, Any], "buildtool.run.dsp_calls:DspMethod"]


DspCallsObject = Annotated[dict[str, Any], "buildtool.run.dsp_calls:DspCalls"]


FunctionProfileObject = Annotated[dict[str, Any], "buildtool.run.profile.profile:FunctionProfile"]


ProfileObject = Annotated[dict[str, Any], "buildtool.run.profile.profile:Profile"]


class RunDocument(Extended):
    base = "buildtool.run.on_device:RunResult"
    bundle: Annotated[
        str | None, "path of the archive that the failure left (--bundle); null for none"
    ]
    trace: Annotated[str | None, "with --trace, path of the trace; else null"]


class CapturedFileObject(TypedDict):
    path: Annotated[str, "name of the file in the archive"]
    size: Annotated[int, "its bytes"]


class MissingFileObject(TypedDict):
    path: Annotated[str, "name of a file that the archive does not contain"]
    why: Annotated[str, "the reason"]


class CaptureDocument(Extended):
    base = "buildtool.run.on_device:RunResult"
    capture: Annotated[str, "path of the archive"]
    files: Annotated[list[CapturedFileObject], "the files in it"]
    missing: Annotated[list[MissingFileObject], "what it could contain and does not"]


TestResultObject = Annotated[dict[str, Any], "buildtool.testing.results:TestResult"]


TestDocument = Annotated[dict[str, Any], "buildtool.testing.results:TestRun"]


class TestNameObject(TypedDict):
    suite: Annotated[str, "as in the results"]
    name: Annotated[str, "as in the results"]


class TestExportDocument(TypedDict):
    """What `test --export DIR --for SERVICE:DEVICE` prints."""

    export: Annotated[str, "id of the export"]
    directory: Annotated[str, "the directory"]
    tests: Annotated[int, "number of tests that run there"]


class TestListDocument(TypedDict):
    """What `test --list` prints."""

    tests: Annotated[list[TestNameObject], "the tests"]


FailedCheckObject = Annotated[dict[str, Any], "buildtool.measure.measurement:FailedCheck"]


MethodObject = Annotated[dict[str, Any], "buildtool.measure.result:MethodResult"]


BenchResultObject = Annotated[dict[str, Any], "buildtool.measure.result:BenchResult"]


class BenchDocument(Extended):
    base = "buildtool.measure.result:BenchResult"
    bench: Annotated[str, "name of [bench.NAME]"]
    started: Annotated[int, "when the first run began, in seconds since the epoch"]
    seconds: Annotated[float, "wall time of all runs"]
    file: Annotated[str, "the file that keeps this document"]


class DivergeDocument(Extended):
    base = "buildtool.run.recorded.differences:Divergence"


MetricDifferenceObject = Annotated[dict[str, Any], "buildtool.measure.comparison:MetricDifference"]


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
