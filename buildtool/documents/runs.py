"""What `deploy`, `rollback`, `run`, `capture` and `test` print."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from buildtool.documents import Extended

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
