"""What `build`, `why`, `clean` and `cache` print, and what a command prints that fails."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from buildtool.documents import Extended


class StepObject(TypedDict):
    name: Annotated[str, "name of the step: host/COMPONENT or skel/COMPONENT/ARCH"]
    component: Annotated[str, "name in buildtool.toml"]
    arch: Annotated[str | None, "DSP arch; null for the ARM64 side"]
    profile: Annotated[str, "toolchain profile"]
    source: Annotated[str, "directory of the CMakeLists.txt"]
    tree: Annotated[str, "build tree; of prebuilt files the directory that they are copied to"]


class PlannedStepObject(StepObject):
    compilations: Annotated[
        int | None,
        "objects that its targets need, as CMake configured it last; null if it is not configured",
    ]


class PlanDocument(TypedDict):
    target: Annotated[str, "target of buildtool.toml"]
    steps: Annotated[list[PlannedStepObject], "steps in order"]
    directory: Annotated[str, "directory of what will ship"]


DiagnosticObject = Annotated[dict[str, Any], "buildtool.core.errors:Diagnostic"]


class StepResultObject(StepObject):
    outcome: Annotated[
        str,
        "what became of it",
        ("up-to-date", "restored", "built", "failed", "skipped"),
    ]
    origin: Annotated[
        str | None,
        "cache that it was restored from",
        ("local", "remote"),
    ]
    seconds: Annotated[float, "wall time; 0 where nothing was done"]
    outputs: Annotated[list[str], "paths of what it made; none when it failed"]
    log: Annotated[str | None, "path of all that its tools printed when it was last built here"]
    error: Annotated[ErrorObject | None, "why it failed; null unless it did"]
    diagnostics: Annotated[list[DiagnosticObject], "errors that its tools reported"]


class BuildDocument(TypedDict):
    target: Annotated[str, "target of buildtool.toml"]
    steps: Annotated[list[StepResultObject], "steps in the order of the plan"]
    directory: Annotated[
        str | None, "directory of what ships; null after a failure or with --shard"
    ]
    release: Annotated[str | None, "id of what ships, a digest of its files; null as above"]
    error: Annotated[ErrorObject | None, "why the build failed; null when it did not"]


ExplanationObject = Annotated[dict[str, Any], "buildtool.engine.decide:Explanation"]


class WhyDocument(TypedDict):
    target: Annotated[str, "target of buildtool.toml"]
    steps: Annotated[list[ExplanationObject], "steps in order"]


CleanDocument = Annotated[dict[str, Any], "buildtool.engine.clean:Removed"]


class ErrorObject(TypedDict):
    code: Annotated[str, "short and stable: what kind of error it is"]
    message: Annotated[str, "what happened"]
    why: Annotated[str, 'why; "" if there is nothing to add']
    remedy: Annotated[str, "what to do next"]
    file: Annotated[str | None, "path of the file at fault"]
    line: Annotated[int | None, "line in that file, from 1"]
    column: Annotated[int | None, "column in that line, from 1"]


class ErrorDocument(TypedDict):
    error: Annotated[ErrorObject, "why the command failed"]


class IdlErrorsDocument(TypedDict):
    """What `idl` prints if a file has several errors."""

    error: Annotated[ErrorObject, "the first of them"]
    errors: Annotated[list[ErrorObject], "all of them, in their order"]


UsageObject = Annotated[dict[str, Any], "buildtool.cache.eviction:DiskUsage"]


class NamedUsageObject(Extended):
    base = "buildtool.cache.eviction:DiskUsage"
    name: Annotated[str, "actions, or a file or directory of the cache directory"]


class CacheStatsDocument(TypedDict):
    directory: Annotated[str, "cache directory"]
    limit: Annotated[int, "bytes that the cache may take"]
    bytes: Annotated[int, "bytes that count towards the limit"]
    documents: Annotated[UsageObject, "documents of the action cache"]
    blobs: Annotated[UsageObject, "files of the action cache"]
    others: Annotated[list[NamedUsageObject], "what else is in the cache directory"]


class CacheFreedDocument(TypedDict):
    freed: Annotated[list[NamedUsageObject], "what was deleted"]


class CacheVerifyDocument(TypedDict):
    documents: Annotated[UsageObject, "documents that were checked"]
    blobs: Annotated[UsageObject, "files that were checked"]
    emulator: Annotated[UsageObject, "programs of the emulated device that were checked"]
    wrong: Annotated[list[str], "paths of what was wrong, and was deleted"]
    useless: Annotated[int, "documents that were deleted as a file that they name was evicted"]
