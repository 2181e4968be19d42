"""`Plan` → `Built`: carry out the steps that are not as they were."""

from __future__ import annotations

import time

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import BuildFinished, BuildStarted, StepFinished
from buildtool.engine.context import Building
from buildtool.engine.decide import judge, nothing_to_do
from buildtool.engine.explain import Explained, note_build
from buildtool.engine.reasons import Reason
from buildtool.engine.result import Built, BuiltStep
from buildtool.plan.plan import CMakeStep, Plan


def run_plan(plan: Plan, building: Building) -> Built:
    """Bring every step of `plan` up to date, independent ones side by side.

    Raises what a step raises: `ToolError`, `ArtifactError`, `HostError`, `SkelError`,
    `CdsprpcError`; `StepsFailedError` for several, when the build was to go on.
    """
    listener = building.listener
    listener(BuildStarted(len(plan.steps)))
    failed: dict[str, Exception] = {}
    seconds: dict[str, float] = {}
    try:
        done, why = _up_to_date(plan, building)
        left = [step for step in plan.steps if step.name not in done]
        if left:
            failed = _carry_out(left, done, seconds, building)
    finally:
        listener(BuildFinished())
    steps = tuple(done[step.name] for step in plan.steps if step.name in done)
    not_done = [
        Explained(step.name, "failed" if step.name in failed else "skipped", why.get(step.name, ()))
        for step in plan.steps
        if step.name not in done
    ]
    note_build(building.state, plan.target, steps, not_done)
    if failed:
        try:
            _raise(failed, building)
        except BuildtoolError as error:
            from buildtool.engine.report import report  # noqa: PLC0415 - most builds go well

            error.document = report(plan, steps, failed, seconds)
            raise
    return Built(plan, steps)


def _up_to_date(
    plan: Plan, building: Building
) -> tuple[dict[str, BuiltStep], dict[str, tuple[Reason, ...]]]:
    """The steps with nothing to do, by name, and what there is to do for others; one that needs
    another one waits for it."""
    done: dict[str, BuiltStep] = {}
    why = {}
    for step in plan.steps:
        if all(need in done for need, _ in step.needs):
            judged = judge(step, building, _digests(step, done))
            why[step.name] = judged.reasons
            if not judged.reasons:
                done[step.name] = nothing_to_do(judged)
                building.listener(StepFinished(step.name, "up-to-date", 0.0))
    return done, why


def _carry_out(
    steps: list[CMakeStep],
    done: dict[str, BuiltStep],
    seconds: dict[str, float],
    building: Building,
) -> dict[str, Exception]:
    """Carry `steps` out and put them into `done`; returns what went wrong, by step, and puts into
    `seconds` when."""
    from buildtool.engine.execute_step import carry_out  # noqa: PLC0415 - most builds need none
    from buildtool.engine.scheduler import run_steps  # noqa: PLC0415

    def one(step: CMakeStep) -> None:
        started = time.monotonic()
        try:
            done[step.name] = carry_out(step, building, _digests(step, done))
        finally:
            seconds[step.name] = time.monotonic() - started

    _, failed = run_steps(
        steps,
        {step.name: [need for need, _ in step.needs] for step in steps},
        one,
        jobs=building.jobserver.jobs,
        keep_going=building.options.keep_going,
        listener=building.listener,
    )
    return failed


def _raise(failed: dict[str, Exception], building: Building) -> None:
    from buildtool.engine.scheduler import raise_failures  # noqa: PLC0415 - most builds go well

    raise_failures(failed, building.listener, keep_going=building.options.keep_going)


def _digests(step: CMakeStep, done: dict[str, BuiltStep]) -> dict[str, str]:
    """The digests of what the steps made that `step` builds on."""
    return {need: done[need].digest for need, _ in step.needs}
