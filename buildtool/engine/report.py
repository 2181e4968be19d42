"""The document of a build, as `build --json` prints it: the same after a failure."""

from __future__ import annotations

from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.engine.result import BuildResult, StepResult
from buildtool.plan.log_files import log_file


def build_document(build: BuildResult) -> dict[str, Any]:
    """The document of a build without a release."""
    rows = []
    for result in build.steps:
        log = log_file(build.plan.state / "logs", result.step.name)
        rows.append({**_step_document(result), "log": str(log) if log.is_file() else None})
    return {"target": build.plan.target, "steps": rows, "directory": None, "release": None}


def _step_document(result: StepResult) -> dict[str, Any]:
    error = result.error if isinstance(result.error, BuildtoolError) else None
    return {
        **result.step.as_json(),
        "outcome": result.outcome,
        "origin": result.origin or None,
        "seconds": round(result.seconds, 3),
        "outputs": [str(path) for path in result.files.values()],
        "error": error.as_json() if error else None,
        "diagnostics": [one._asdict() for one in error.diagnostics] if error else [],
    }
