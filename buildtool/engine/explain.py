"""The outcome for each step if a build ran now, with the reasons, and in the last build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.value import Value
from buildtool.engine.context import BuildContext
from buildtool.engine.decide import Restore, StepCheck, UpToDate, check_step, decide
from buildtool.engine.reasons import Reason
from buildtool.engine.result import BuildResult, StepOutcome
from buildtool.plan.plan import Plan

if TYPE_CHECKING:
    from buildtool.documents.builds import ExplanationObject

WAITS = "waits"


class Explanation(Value):
    """The outcome for a step, and why it is not up to date.

    `outcome` is a `StepOutcome`, or `waits`: `origin` then names the step to be built first.
    For a restored step, `origin` is `local` or `remote`.  `nearest` is why the step cannot be
    restored: how the inputs differ from those of the most similar of the `known` builds.
    """

    step: str
    outcome: str
    reasons: tuple[Reason, ...] = ()
    origin: str = ""
    nearest: tuple[Reason, ...] = ()
    known: int = 0

    def as_json(self) -> ExplanationObject:
        return {
            "name": self.step,
            "outcome": self.outcome,
            "origin": None if self.outcome == WAITS else self.origin or None,
            "waits_for": self.origin if self.outcome == WAITS else None,
            "reasons": [reason.as_json() for reason in self.reasons],
            "nearest": [reason.as_json() for reason in self.nearest],
            "known": self.known,
        }


def explain(plan: Plan, context: BuildContext) -> tuple[Explanation, ...]:
    """The outcome for each step if `plan` were built now; changes nothing."""
    digests: dict[str, str] = {}
    rows = []
    for step in plan.steps:
        waits_for = next((need for need, _ in step.needs if need not in digests), "")
        if waits_for:
            rows.append(Explanation(step.name, WAITS, origin=waits_for))
            continue
        check = check_step(step, {need: digests[need] for need, _ in step.needs}, context)
        match decide(check, context):
            case UpToDate(record):
                digests[step.name] = record.digest
                rows.append(Explanation(step.name, StepOutcome.UP_TO_DATE))
            case Restore(hit):
                digests[step.name] = hit.record.digest
                rows.append(Explanation(step.name, StepOutcome.RESTORED, check.reasons, hit.origin))
            case _:
                rows.append(_explain_build(check, context))
    return tuple(rows)


def _explain_build(check: StepCheck, context: BuildContext) -> Explanation:
    lookup = context.caches.lookup
    known = lookup.known(check.key)
    nearest = lookup.nearest(known, check.step.roots, context.file_states)
    return Explanation(check.step.name, StepOutcome.BUILT, check.reasons, "", nearest, len(known))


def save_last_build(state: Path, build: BuildResult) -> None:
    """Keep the result of a build for `last_build`."""
    rows = [result.as_json() for result in build.steps]
    write_if_changed(_last_build_file(state, build.plan.target), json.dumps(rows))


def last_build(state: Path, target: str) -> tuple[Explanation, ...] | None:
    """The outcome for each step in the last build of `target`; None when it is not known."""
    try:
        return tuple(
            _read(row) for row in json.loads(read_regular(_last_build_file(state, target)))
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _last_build_file(state: Path, target: str) -> Path:
    return state / "last" / f"{target}.json"


def _read(row: dict[str, Any]) -> Explanation:
    reasons = tuple(
        Reason(*(str(reason[name]) for name in ("kind", "name", "old", "new")))
        for reason in row["reasons"]
    )
    return Explanation(str(row["name"]), str(row["outcome"]), reasons, str(row["origin"] or ""))
