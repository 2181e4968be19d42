"""The decision about a step: do nothing, restore its outputs from a cache, or build them.

`check_step` compares a step with its record; `decide` then asks the caches for a step that is not
up to date.  Most steps are up to date, so nothing that only a build needs is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from buildtool.core.value import Value
from buildtool.engine.context import BuildContext
from buildtool.engine.reasons import Reason, find_reasons
from buildtool.engine.record import StepRecord, read_record, record_file
from buildtool.plan.plan import Step
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
