"""The decision about a step: do nothing, restore its outputs from a cache, or build them.

`check_step` compares a step with its record; `decide` then asks the caches for a step that is not
up to date.  Most steps are up to date, so nothing that only a build needs is imported here.

`explain` says for `why` what a build would do with each step now, and why; `last_build`, what the
last one did.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.stored import read_value, write_value
from buildtool.core.value import Described, Value
from buildtool.engine.context import BuildContext
from buildtool.engine.record import StepRecord, read_record, record_file
from buildtool.engine.result import BuildResult, Reason, StepOutcome, find_reasons
from buildtool.plan.plan import Plan, Step
from buildtool.plan.step_key import step_key

if TYPE_CHECKING:
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
LAST_BUILD = 1
"""The version of what is kept of the last build."""


class Explanation(Described):
    """What a build does with a step, or did, and why it is not up to date."""

    name: Annotated[str, "name of the step: host/COMPONENT or skel/COMPONENT/ARCH"]
    outcome: Annotated[
        str,
        "what a build would do, or with --last did; Ctrl-C makes steps interrupted",
        ("up-to-date", "restored", "built", "waits", "failed", "skipped", "interrupted"),
    ]
    origin: Annotated[str | None, "cache that it is restored from", ("local", "remote")] = None
    waits_for: Annotated[str | None, "step that has to be built first"] = None
    reasons: Annotated[tuple[Reason, ...], "why it is not up to date"] = ()
    nearest: Annotated[
        tuple[Reason, ...], "what differs from the most similar state in the cache"
    ] = ()
    known: Annotated[int, "states of it in the cache"] = 0


def explain(plan: Plan, context: BuildContext) -> tuple[Explanation, ...]:
    """The outcome for each step if `plan` were built now; changes nothing."""
    digests: dict[str, str] = {}
    rows = []
    for step in plan.steps:
        waits_for = next((need for need, _ in step.needs if need not in digests), "")
        if waits_for:
            rows.append(Explanation(step.name, WAITS, waits_for=waits_for))
            continue
        check = check_step(step, {need: digests[need] for need, _ in step.needs}, context)
        match decide(check, context):
            case UpToDate(record):
                digests[step.name] = record.digest
                rows.append(Explanation(step.name, StepOutcome.UP_TO_DATE))
            case Restore(hit):
                digests[step.name] = hit.record.digest
                restored = Explanation(step.name, StepOutcome.RESTORED, hit.origin)
                rows.append(restored._replace(reasons=check.reasons))
            case _:
                rows.append(_explain_build(check, context))
    return tuple(rows)


def _explain_build(check: StepCheck, context: BuildContext) -> Explanation:
    lookup = context.caches.lookup
    known = lookup.known(check.key)
    nearest = lookup.nearest(known, check.step.roots, context.file_states)
    built = Explanation(check.step.name, StepOutcome.BUILT, reasons=check.reasons)
    return built._replace(nearest=nearest, known=len(known))


class _LastBuild(Value):
    steps: tuple[Explanation, ...]


def save_last_build(state: Path, build: BuildResult) -> None:
    """Keep the result of a build for `last_build`."""
    rows = (
        Explanation(one.step.name, one.outcome, one.origin or None, reasons=one.reasons)
        for one in build.steps
    )
    write_value(_last_build_file(state, build.plan.target), _LastBuild(tuple(rows)), LAST_BUILD)


def last_build(state: Path, target: str) -> tuple[Explanation, ...] | None:
    """The outcome for each step in the last build of `target`; None when it is not known."""
    found = read_value(_last_build_file(state, target), _LastBuild, LAST_BUILD)
    return found.steps if found else None


def _last_build_file(state: Path, target: str) -> Path:
    return state / "last" / f"{target}.json"
