"""The document of a build, as `build --json` prints it: the same after a failure.

The line of a build in the history of its project.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.history import BUILDS, append_history
from buildtool.engine.result import BuildResult, StepOutcome, StepResult
from buildtool.inputs.roots import shown
from buildtool.plan.step_driver import log_file

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


REASONS = 5
"""How many reasons of a step are kept."""


def record_build(
    build: BuildResult, started: float, seconds: float, begun: Mapping[str, float]
) -> None:
    """Record a build in which steps were not up to date.

    It began at `started`, in seconds since the epoch, and took `seconds`; `begun` are the steps
    that were executed, each with its begin in seconds after that of the build.
    """
    steps = [step for step in build.steps if step.outcome is not StepOutcome.UP_TO_DATE]
    line = {
        "started": round(started, 3),
        "seconds": round(seconds, 3),
        "target": build.plan.target,
        "ok": not build.errors,
        "up_to_date": len(build.steps) - len(steps),
        "steps": [_step(step, begun.get(step.step.name, 0.0)) for step in steps],
    }
    append_history(build.plan.state.parent, BUILDS, line)


def _step(result: StepResult, begun: float) -> dict[str, Any]:
    return {
        "name": result.step.name,
        "outcome": result.outcome,
        "origin": result.origin,
        "begun": round(begun, 3),
        "seconds": round(result.seconds, 3),
        "reasons": [shown(reason.text) for reason in result.reasons[:REASONS]],
        "more_reasons": max(0, len(result.reasons) - REASONS),
        "error": _error(result.error),
    }


def _error(error: Exception | None) -> dict[str, str] | None:
    if error is None:
        return None
    if not isinstance(error, BuildtoolError):
        return {"message": f"{type(error).__name__}: {error}", "why": "", "remedy": ""}
    return {"message": error.message, "why": error.why, "remedy": error.remedy}
