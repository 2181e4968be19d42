"""What is told of a build: its document, its line in the history, and how long its steps took.

The document is that of `build --json`, the same after a failure.  The seconds are a document in the
remote cache, by which runners that share a build divide the steps.  Each runner has records of its
own, so none can divide by those; and runners do not write the document, so all runners of one build
find the same one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from buildtool.cache.action import FOREVER
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import parse_bounded, value_digest
from buildtool.core.history import BUILDS, append_history
from buildtool.engine.result import BuildResult, StepOutcome, StepResult
from buildtool.inputs.roots import shown
from buildtool.plan.plan import Plan
from buildtool.plan.step_driver import log_file

if TYPE_CHECKING:
    from buildtool.cache.remote.client import RemoteCache
    from buildtool.documents.builds import BuildDocument, StepResultObject
    from buildtool.engine.context import BuildContext

CHANGE = 2.0
"""The factor from which on another duration is stored: each change gives other parts."""
NOT_DONE = (StepOutcome.FAILED, StepOutcome.SKIPPED, StepOutcome.INTERRUPTED)
REASONS = 5
"""How many reasons of a step are kept."""


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
        "ok": not any(step.outcome in NOT_DONE for step in steps),
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


def read_seconds(plan: Plan, remote: RemoteCache) -> dict[str, float]:
    """The seconds of those steps of `plan` of which the server knows them."""
    document = remote.document(_seconds_key(plan))
    try:
        stored = parse_bounded(document.data) if document else {}
    except ValueError:
        stored = {}
    if not isinstance(stored, Mapping):
        return {}
    return {
        step.name: float(seconds)
        for step in plan.cmake_steps
        if isinstance(seconds := stored.get(step.name), int | float) and 0 <= seconds < FOREVER
    }


def store_seconds(plan: Plan, took: Mapping[str, float], remote: RemoteCache) -> None:
    """Store what building the steps of `plan` took, if one is new or took another time."""
    known = read_seconds(plan, remote)
    if any(_differs(known.get(name), seconds) for name, seconds in took.items()):
        remote.put(_seconds_key(plan), json.dumps({**known, **took}).encode(), {})


def share_seconds(build: BuildResult, context: BuildContext) -> None:
    """Store how long the steps of a whole build took, on whatever machine they were built."""
    remote = context.caches.lookup.remote if context.options.use_caches else None
    if remote and remote.writable:
        took = {
            result.step.name: round(result.record.seconds, 1)
            for result in build.steps
            if result.record and context.driver_of(result.step).is_cached
        }
        store_seconds(build.plan, took, remote)


def _differs(known: float | None, now: float) -> bool:
    return known is None or not known <= now * CHANGE + 1 or not now <= known * CHANGE + 1


def _seconds_key(plan: Plan) -> str:
    return value_digest(["seconds", plan.target, sorted(step.name for step in plan.cmake_steps)])
