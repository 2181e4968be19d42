"""What became of each step of a plan, as `build --json` prints it: the same after a failure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.drivers.cmake.step_log import log_file
from buildtool.engine.result import BuiltStep
from buildtool.plan.plan import Plan

NONE: Mapping[str, Any] = {}


def report(
    plan: Plan,
    steps: Iterable[BuiltStep],
    failed: Mapping[str, Exception] = NONE,
    seconds: Mapping[str, float] = NONE,
) -> dict[str, Any]:
    """The document of a build that is not staged: what finished, and by name what `failed` and
    after how many `seconds`.  Steps that are in neither were skipped."""
    done = {built.step.name: _finished(built) for built in steps}
    rows = []
    for step in plan.steps:
        log = log_file(plan.state / "logs", step.name)
        rows.append(
            {
                **step.as_json(),
                **(
                    done.get(step.name)
                    or _unfinished(failed.get(step.name), seconds.get(step.name, 0.0))
                ),
                "log": str(log) if log.is_file() else None,
            }
        )
    return {"target": plan.target, "steps": rows, "stage": None, "release": None}


def _finished(built: BuiltStep) -> dict[str, Any]:
    return {
        "outcome": built.outcome,
        "origin": built.origin or None,
        "seconds": round(built.seconds, 3),
        "outputs": [str(path) for path in built.files.values()],
        "error": None,
        "diagnostics": [],
    }


def _unfinished(error: Exception | None, seconds: float) -> dict[str, Any]:
    told = error if isinstance(error, BuildtoolError) else None
    return {
        "outcome": "failed" if error else "skipped",
        "origin": None,
        "seconds": round(seconds, 3),
        "outputs": [],
        "error": told.as_json() if told else None,
        "diagnostics": [one._asdict() for one in told.diagnostics] if told else [],
    }
