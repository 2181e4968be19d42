"""Bring the outputs of one step up to date: from a cache, else with its tools.

Bad actions of a cache are reported, and not used again.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from buildtool.cache.outputs import Output, read_outputs
from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Note, open_step
from buildtool.engine.context import BuildContext
from buildtool.engine.decide import Build, Decision, Restore, StepCheck, UpToDate, decide
from buildtool.engine.lookup import CacheHit, action_key
from buildtool.engine.record import StepRecord, record_file, write_record
from buildtool.engine.result import BuildResult, StepOutcome, StepResult
from buildtool.inputs.path_sets import PathSet, observe
from buildtool.plan.plan import Step
from buildtool.plan.step_driver import StepDriver


def execute_step(check: StepCheck, context: BuildContext) -> StepResult:
    """Bring the outputs of the checked step up to date.

    Raises what the tools' drivers and the checks of the outputs raise.
    """
    step, driver, origin = check.step, context.driver_of(check.step), ""
    with open_step(step.name, step.summary, context.listener) as opened:
        if check.reasons:
            check = check._replace(fields=driver.make_ready(check.fields, context.resources))
        decision = decide(check, context)
        if foreign := context.part and context.part.is_foreign(step.name):
            decision = _wait_for_outputs(decision, check, context)
        if isinstance(decision, UpToDate):
            record, outcome = decision.record, StepOutcome.UP_TO_DATE
        elif isinstance(decision, Restore) and (
            found := _restore(decision.hit, check, driver, context)
        ):
            record, outcome, origin = found, StepOutcome.RESTORED, decision.hit.origin
        elif foreign and context.part:
            raise context.part.missing(step.name, "its files cannot be fetched")
        else:
            record, outcome = _build(check, driver, context, opened.started), StepOutcome.BUILT
        if record is not check.record:
            write_record(record_file(context.state, step), record)
        if context.part and context.part.is_own(step.name) and outcome is not StepOutcome.BUILT:
            _share(step, record, context)
        opened.outcome = outcome
    return StepResult(step, outcome, record, check.reasons, origin, opened.seconds)


def _wait_for_outputs(decision: Decision, check: StepCheck, context: BuildContext) -> Decision:
    """The decision about a step that another runner builds: restore it, unless it is up to date."""
    from buildtool.engine.shards import wait_for_hit  # noqa: PLC0415 - shared builds are rare

    lookup, step = context.caches.lookup, check.step
    if not isinstance(decision, Build) or not context.part or not lookup.remote:
        return decision
    context.listener(Note(f"waiting for {step.name}: {context.part.builder(step.name)} builds it"))
    find = partial(lookup.find, check.key, step.roots, context.file_states)
    return Restore(wait_for_hit(context.part, step.name, find, lookup.remote.failures.disabled))


def _share(step: Step, record: StepRecord, context: BuildContext) -> None:
    """Store what was built earlier in the remote cache, where other runners look for it."""
    is_certain = not (record.changed_during_build or record.uncertain)
    if is_certain and not _bound_to(step, record.inputs.paths, record.outputs):
        context.caches.lookup.share(record, step.output)


def _restore(
    hit: CacheHit, check: StepCheck, driver: StepDriver, context: BuildContext
) -> StepRecord | None:
    """Check the outputs that a cache has, and put them in place; None when they are not good."""
    step, runtime = check.step, {}

    def accept(directory: Path) -> None:
        runtime.update(driver.check(hit.record.outputs, directory, context.resources))

    try:
        if not context.caches.lookup.restore(hit, step.output, accept):
            return None
    except BuildtoolError as error:
        reject(context, step.name, hit.action_key, hit.record.server, error)
        return None
    return hit.record._replace(fields=check.fields, runtime=runtime)


def _build(
    check: StepCheck, driver: StepDriver, context: BuildContext, started: float
) -> StepRecord:
    """Build the outputs, check them, and store them in the caches."""
    step, resources = check.step, context.resources
    inputs, changed, uncertain = driver.build(check.fields, resources)
    outputs = read_outputs(step.output)
    runtime = driver.check(outputs, step.output, resources)
    if own := set(runtime.values()) & set(map(str, step.profile.runtime.values())):
        paths = inputs.paths | PathSet.of(map(step.roots.name_of, own))
        inputs = observe(paths, step.roots, context.file_states.with_fresh_stats())
    record = StepRecord(
        key=check.key,
        inputs=inputs,
        outputs=outputs,
        seconds=time.monotonic() - started,
        fields=check.fields,
        runtime=runtime,
        changed_during_build=changed,
        uncertain=uncertain,
    )
    driver.note_tree(record)
    if context.options.use_caches and driver.is_cached and not (changed or uncertain):
        context.caches.lookup.store(record, step.output, _bound_to(step, inputs.paths, outputs))
    return record


def _bound_to(step: Step, paths: PathSet, outputs: Sequence[Output]) -> str:
    """The project's directory if the outputs are right in this one only, else ""."""
    is_bound = paths.has_links or _contain_paths(step, paths, outputs)
    return str(step.root) if is_bound else ""


def _contain_paths(step: Step, paths: PathSet, outputs: Sequence[Output]) -> bool:
    """Whether the content of an output has a path of this clone: that of the project, of a
    directory above it, or of what the step read there.

    Outputs have other paths below these directories for other reasons: zig's start files have that
    of zig's cache, which is in the home directory, and programs look for `/tmp`.
    """
    roots = step.roots
    read = {"/".join(name.split("/")[:2]) for name in paths.files if roots.is_parent(name)}
    above = [path for path in roots.parents.values() if path.count("/") > 1]
    tails = {
        **dict.fromkeys(above, rb"(?:/(?![\w.+-])|(?![\w+/-]))"),
        **dict.fromkeys(map(roots.path_of, read), rb"(?![\w+-])"),
        str(step.root): b"",
    }
    rows = [(os.fsencode(path), tail) for path, tail in tails.items()]
    contents = (
        (step.output / output.path).read_bytes() for output in outputs if output.kind != "link"
    )
    # To look for the path alone is far faster.
    return any(
        path in data and re.search(re.escape(path) + tail, data)
        for data in contents
        for path, tail in rows
    )


def reject(
    context: BuildContext, step: str, action: str, server: str, error: BuildtoolError
) -> None:
    """Delete the action, remember that `server` has a bad one, and report why it is bad."""
    context.caches.lookup.reject(action, server)
    whose = f"the remote cache {server}" if server else "the cache"
    context.listener(
        Note(f"{step}: action {action} of {whose} is bad and is not used again: {error.message}")
    )


def reject_restored(
    build: BuildResult, context: BuildContext, error: BuildtoolError
) -> BuildContext:
    """Reject the steps that may have caused `error`: those that were restored from a remote cache
    and ship one of the files that the error names, or any file if it names none.

    Deletes their records and actions, and returns the context in which they are built.  Raises
    `error` if there is no such step.
    """
    rejected = set()
    files = set(error.files)
    for result in build.steps:
        step, record = result.step, result.record
        if not record or not record.server:
            continue
        if files and files.isdisjoint(result.files.values()):
            continue
        action = action_key(record.key, record.inputs, "")
        reject(context, step.name, action, record.server, error)
        record_file(context.state, step).unlink(missing_ok=True)
        rejected.add(step.name)
    if not rejected:
        raise error
    return context.with_fresh_stats()._replace(rebuild=frozenset(rejected))
