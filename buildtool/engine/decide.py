"""The decision about a step: do nothing, restore its outputs from a cache, or build them.

`check_step` compares a step with its record; `decide` then asks the caches for a step that is not
up to date.  Most steps are up to date, so nothing that only a build needs is imported here.

`explain` says for `why` what a build would do with each step now, and why; `last_build`, what the
last one did.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.files import read_regular, write_if_changed
from buildtool.core.value import Value
from buildtool.engine.context import BuildContext
from buildtool.engine.reasons import Reason, find_reasons
from buildtool.engine.record import StepRecord, read_record, record_file
from buildtool.engine.result import BuildResult, StepOutcome
from buildtool.plan.plan import Plan, Step
from buildtool.plan.step_key import step_key

if TYPE_CHECKING:
    from buildtool.documents.builds import ExplanationObject
    from buildtool.engine.lookup import CacheHit


class StepCheck(Value):
    """A step compared with the record of the last time that it was built or restored.

    `fields` are the fields of its key, `reasons` say why the step is not up to date: it is when
    there are none.
    """

    step: Step
    fields: Mapping[str, Any]
    record: StepRecord | None
    reasons: tuple[Reason, ...]

    @cached_property
    def key(self) -> str:
        """The step's key."""
        return step_key(self.fields)


class UpToDate(Value):
    """There is nothing to do: `record` is still true."""

    record: StepRecord


class Restore(Value):
    """A cache has the outputs."""

    hit: CacheHit


class Build(Value):
    """The outputs have to be built."""


Decision = UpToDate | Restore | Build


def check_step(step: Step, needs: Mapping[str, str], context: BuildContext) -> StepCheck:
    """Compare `step` with its record; starts no process and asks no cache.

    `needs` are the digests of the outputs of the steps that it needs, by step.
    """
    driver = context.driver_of(step)
    fields = driver.key_fields(needs)
    record = read_record(record_file(context.state, step))
    reasons = find_reasons(record, fields, step.roots, step.output, context.file_states)
    if not reasons and (lost := driver.lost()):
        reasons = (Reason("output", lost, new="missing"),)
    needs_tree = step.name in context.trees
    if not reasons and record and needs_tree and not driver.has_tree(record):
        reasons = (Reason("tree"),)
    return StepCheck(step, fields, record, reasons)


def decide(check: StepCheck, context: BuildContext) -> Decision:
    """The decision about the checked step."""
    if check.record and not check.reasons:
        return UpToDate(check.record)
    if not context.options.use_caches or check.step.name in context.rebuild | context.trees:
        return Build()
    if not context.driver_of(check.step).is_cached:
        return Build()
    hit = context.caches.lookup.find(check.key, check.step.roots, context.file_states)
    return Restore(hit) if hit else Build()


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
