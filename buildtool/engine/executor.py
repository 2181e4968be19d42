"""`Plan` → `BuildResult`: bring every step of a plan up to date.

What the ARM64 sides of a target together need of the device's libcdsprpc is checked too.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import BuildFinished, BuildStarted, StepFinished
from buildtool.core.files import has_content, value_digest, write_if_changed
from buildtool.engine.context import BuildContext
from buildtool.engine.decide import StepCheck, check_step, save_last_build
from buildtool.engine.result import BuildResult, StepOutcome, StepResult
from buildtool.plan.plan import Plan, Step

Results = dict[str, StepResult]
Checks = dict[str, StepCheck]
Failures = dict[str, Exception]


def run_plan(plan: Plan, context: BuildContext) -> BuildResult:
    """Bring every step of `plan` up to date, independent steps at the same time.

    Raises what a step raises: `ToolError`, `ArtifactError`, `ContractError`; `StepsFailedError`
    when several steps failed and the build kept going.  Records what became of the steps, also
    before it raises `KeyboardInterrupt`.
    """
    results: Results = {}
    checks: Checks = {}
    begun: dict[str, float] = {}
    clock = time.monotonic()
    failures: Failures = {}

    def record(missing: StepOutcome) -> BuildResult:
        """Record the result of the build, in which steps without a result are `missing`."""
        steps = (
            results.get(step.name)
            or _without_outputs(step, checks, failures.get(step.name), missing)
            for step in plan.steps
        )
        build = BuildResult(plan, tuple(steps))
        save_last_build(context.state, build)
        if outdated:
            from buildtool.engine.report import record_build  # noqa: PLC0415 - not for no-op builds

            seconds = time.monotonic() - clock
            begins = {name: at - clock for name, at in begun.items()}
            record_build(build, time.time() - seconds, seconds, begins)
        return build

    context.listener(BuildStarted(len(plan.steps)))
    try:
        if not context.part:  # else steps that are up to date may have to be stored, too
            failures = _check_steps(plan, checks, results, context)
        outdated = [step for step in plan.steps if step.name not in results]
        if outdated and (not failures or context.options.keep_going):
            failures = _execute_steps(outdated, checks, results, context, begun)
            _show_warnings_again(results, context)
    except KeyboardInterrupt:
        if begun:
            record(StepOutcome.INTERRUPTED)
        raise
    finally:
        context.listener(BuildFinished())
    build = record(StepOutcome.SKIPPED)
    if failures:
        _raise(build, context)
    return build


def find_up_to_date(plan: Plan, context: BuildContext) -> BuildResult | None:
    """The result of a build of `plan` if it has nothing to do, else None; changes nothing."""
    results: Results = {}
    failures = _check_steps(plan, {}, results, context._replace(listener=lambda _: None))
    if failures or len(results) < len(plan.steps):
        return None
    return BuildResult(plan, tuple(results[step.name] for step in plan.steps))


def _check_steps(plan: Plan, checks: Checks, results: Results, context: BuildContext) -> Failures:
    """Check each step whose needs are up to date, and put those that are up to date themselves
    into `results`; returns the errors."""
    failures: Failures = {}
    for step in plan.steps:
        if any(need not in results for need, _ in step.needs):
            continue
        try:
            check = checks[step.name] = check_step(step, _needs(step, results), context)
        except Exception as error:
            failures[step.name] = error
            continue
        if not check.reasons and check.record:
            results[step.name] = StepResult(step, StepOutcome.UP_TO_DATE, check.record)
            context.listener(StepFinished(step.name, StepOutcome.UP_TO_DATE, 0.0))
    return failures


def _execute_steps(
    steps: list[Step],
    checks: Checks,
    results: Results,
    context: BuildContext,
    begun: dict[str, float],
) -> Failures:
    """Restore or build `steps`, each after the steps that it needs; returns the errors.  `begun`
    gets the time of `time.monotonic` when each began."""
    from buildtool.engine.execute_step import execute_step  # noqa: PLC0415 - not for a no-op build
    from buildtool.engine.scheduler import run_steps  # noqa: PLC0415

    def run(step: Step) -> None:
        started = begun[step.name] = time.monotonic()
        fresh = context.with_fresh_stats()
        try:
            if step.name not in checks:  # the steps that it needs were not up to date, or it failed
                checks[step.name] = check_step(step, _needs(step, results), fresh)
            results[step.name] = execute_step(checks[step.name], fresh)
        except Exception as error:
            seconds = time.monotonic() - started
            failed = _without_outputs(step, checks, error, StepOutcome.FAILED)
            results[step.name] = failed._replace(seconds=seconds)
            raise

    _, failures = run_steps(
        steps,
        {step.name: [need for need, _ in step.needs] for step in steps},
        run,
        jobs=context.jobserver.jobs + _waiting(steps, context),
        keep_going=context.options.keep_going,
        listener=context.listener,
    )
    return failures


def _show_warnings_again(results: Results, context: BuildContext) -> None:
    """Show the warnings of steps that were up to date, if others were built."""
    if any(result.outcome is StepOutcome.BUILT for result in results.values()):
        for step, outcome, record, *_ in results.values():
            if outcome is StepOutcome.UP_TO_DATE and record:
                context.driver_of(step).show_warnings_again(record, context.resources)


def _waiting(steps: list[Step], context: BuildContext) -> int:
    """How many of `steps` may wait for other runners: while they do, others can run."""
    return sum(context.part.is_foreign(step.name) for step in steps) if context.part else 0


def _needs(step: Step, results: Results) -> dict[str, str]:
    """The digests of the outputs that `step` builds on, by step."""
    return {need: results[need].digest for need, _ in step.needs}


def _without_outputs(
    step: Step, checks: Checks, error: Exception | None, outcome: StepOutcome
) -> StepResult:
    """The result of a step that failed with `error`, or without one of a step that was not done."""
    reasons = checks[step.name].reasons if step.name in checks else ()
    return StepResult(step, StepOutcome.FAILED if error else outcome, reasons=reasons, error=error)


def _raise(build: BuildResult, context: BuildContext) -> None:
    """Raise the errors of the steps that failed, with the document of the build."""
    from buildtool.engine.report import build_document  # noqa: PLC0415 - most builds succeed
    from buildtool.engine.scheduler import raise_failures  # noqa: PLC0415

    try:
        raise_failures(build.errors, context.listener, keep_going=context.options.keep_going)
    except BuildtoolError as error:
        error.document = build_document(build)
        raise


def check_cdsprpc_needs(results: Sequence[StepResult], note: Path) -> None:
    """Check that the ARM64 sides need no function that the device's libcdsprpc lacks.

    `note` is the file that keeps the digest of what was checked last.  Raises `ContractError`.
    """
    hosts = [built for built in results if built.step.profile.cdsprpc]
    wanted = [built.step.profile.cdsprpc for built in hosts if built.step.profile.cdsprpc]
    shipped = [[built.digest, *sorted(map(str, built.files.values()))] for built in hosts]
    digest = value_digest(sorted([*([cdsprpc.digest] for cdsprpc in wanted), *shipped]))
    if has_content(note, digest.encode()):
        return
    from buildtool.contract.build_checks import check_cdsprpc_use  # noqa: PLC0415 - rarely needed

    files = [path for built in hosts for path in built.files.values() if not path.is_dir()]
    for profile in {built.step.profile.cdsprpc: built.step.profile for built in hosts}.values():
        check_cdsprpc_use(files, profile)
    write_if_changed(note, digest)
