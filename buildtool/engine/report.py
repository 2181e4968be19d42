"""The document of a build, as `build --json` prints it: the same after a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.engine.result import BuildResult, StepResult
from buildtool.plan.log_files import log_file

if TYPE_CHECKING:
    from buildtool.documents.builds import BuildDocument, StepResultObject


def build_document(build: BuildResult) -> BuildDocument:
    """The document of a build without a release."""
    rows = []
    for result in build.steps:
        log = log_file(build.plan.state / "logs", result.step.name)
        rows.append(_step_result(result, str(log) if log.is_file() else None))
    return {
        "target": build.plan.target,
        "steps": rows,
        "directory": None,
        "release": None,
        "error": None,
    }


def _step_result(result: StepResult, log: str | None) -> StepResultObject:
    error = result.error if isinstance(result.error, BuildtoolError) else None
    return {
        **result.step.as_json(),
        "outcome": result.outcome,
        "origin": result.origin or None,
        "seconds": round(result.seconds, 3),
        "outputs": [str(path) for path in result.files.values()],
        "log": log,
        "error": error.as_json() if error else None,
        "diagnostics": [one.as_json() for one in error.diagnostics] if error else [],
    }
