"""What commands with `--on` print."""

from __future__ import annotations

from typing import Annotated, TypedDict

from buildtool.documents.builds import BuildDocument, ErrorDocument
from buildtool.documents.measurements import BenchDocument, ComparisonDocument, SweepDocument
from buildtool.documents.runs import DeployDocument, RunDocument, TestDocument


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

    ok: Annotated[bool, "whether all statuses are 0"]
    devices: Annotated[list[OnDeviceObject], "a row for each device, in the order of --on"]
