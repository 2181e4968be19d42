"""Bring the outputs of one step up to date: from a cache, else with its tools."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.cache.outputs import Output, read_outputs
from buildtool.core.errors import BuildtoolError
from buildtool.core.events import StepFinished, StepOutput, StepStarted
from buildtool.core.value import Value
from buildtool.drivers.cmake.arguments import tool_environment
from buildtool.drivers.cmake.compiler_launcher import chosen, find_compiler_launcher
from buildtool.drivers.cmake.step_log import step_log
from buildtool.engine.build_trees import note_built
from buildtool.engine.context import BuildContext
from buildtool.engine.decide import Restore, StepCheck, UpToDate, check_step, decide
from buildtool.engine.lookup import CacheHit
from buildtool.engine.record import StepRecord, record_file, write_record
from buildtool.engine.result import StepOutcome, StepResult
from buildtool.engine.warnings import show_again, warnings_of
from buildtool.inputs.path_sets import PathSet, observe
from buildtool.plan.environment import PASSED_ON
from buildtool.plan.files_step import FilesStep
from buildtool.plan.plan import CMakeStep, Step
from buildtool.plan.step_key import base_key

if TYPE_CHECKING:
    from buildtool.drivers.cmake.driver import Driver
    from buildtool.drivers.conan.install import Dependencies


def execute_step(check: StepCheck, context: BuildContext) -> StepResult:
    """Bring the outputs of the checked step up to date.

    Raises what the tools' drivers and the checks of the outputs raise.
    """
    step, started = check.step, time.monotonic()
    outcome, origin = StepOutcome.FAILED, ""
    context.listener(StepStarted(step.name, step.summary))
    try:
        packages = _install_packages(step, context) if check.reasons else None
        if packages:  # with a lockfile that Conan has just made, the key is another one
            check = check.with_packages(packages.key)
        decision = decide(check, context)
        if isinstance(decision, UpToDate):
            record, outcome = decision.record, StepOutcome.UP_TO_DATE
            show_again(step, record, context)
        elif isinstance(decision, Restore) and (found := _restore(decision.hit, check, context)):
            record, outcome, origin = found, StepOutcome.RESTORED, decision.hit.origin
        else:
            record, outcome = _build(check, packages, context, started), StepOutcome.BUILT
        if record is not check.record:
            write_record(record_file(context.state, step), record)
    finally:
        seconds = time.monotonic() - started
        context.listener(StepFinished(step.name, outcome, seconds))
    return StepResult(step, outcome, record, check.reasons, origin, seconds)


class ConfiguredTree(Value):
    """A configured build tree: the cache entries that CMake was given, and the environment
    variables besides those that are passed on from the caller."""

    step: CMakeStep
    cache: Mapping[str, str]
    environment: Mapping[str, str]


def configure_step(
    step: CMakeStep, needs: Mapping[str, str], context: BuildContext
) -> ConfiguredTree:
    """Configure the step's build tree if it is not up to date, and build nothing; `needs` are as
    those of `check_step`.  Raises as `execute_step` does."""
    started, outcome = time.monotonic(), "failed"
    context.listener(StepStarted(step.name, step.summary))
    try:
        check = check_step(step, needs, context)
        packages = _install_packages(step, context)
        if packages:
            check = check.with_packages(packages.key)
        with _open_driver(step, check, packages, context) as driver:
            _, ran = driver.ensure_configured(base_key(check.fields))
        outcome = "configured" if ran else StepOutcome.UP_TO_DATE
    finally:
        context.listener(StepFinished(step.name, outcome, time.monotonic() - started))
    environment = tool_environment(step).items()
    own = {name: value for name, value in environment if name not in PASSED_ON}
    return ConfiguredTree(step, driver.cache, own)


def _install_packages(step: Step, context: BuildContext) -> Dependencies | None:
    """Let Conan install the step's packages, if it has any."""
    if isinstance(step, FilesStep) or not step.conan:
        return None
    from buildtool.drivers.conan.install import install_dependencies  # noqa: PLC0415 - most have none

    with context.jobserver.token():
        return install_dependencies(step, context.listener)


def _restore(hit: CacheHit, check: StepCheck, context: BuildContext) -> StepRecord | None:
    """Check the outputs that a cache has, and put them in place; None when they are not good."""
    step, runtime = check.step, {}

    def accept(directory: Path) -> None:
        from buildtool.drivers.cmake.products import check_installed  # noqa: PLC0415 - rarely needed

        check_installed(step, directory)
        runtime.update(_check_outputs(step, hit.record.outputs, directory, context))

    try:
        if not context.caches.lookup.restore(hit, step.output, accept):
            return None
    except BuildtoolError as error:
        from buildtool.engine.bad_actions import reject  # noqa: PLC0415 - most actions are good

        reject(context, step.name, hit.action_key, hit.record.server, error)
        return None
    return hit.record._replace(fields=check.fields, runtime=runtime)


def _build(
    check: StepCheck, packages: Dependencies | None, context: BuildContext, started: float
) -> StepRecord:
    """Build the outputs, check them, and store them in the caches."""
    step = check.step
    if isinstance(step, FilesStep):
        from buildtool.drivers.files import copy_files  # noqa: PLC0415 - most have none

        inputs, changed, uncertain = copy_files(step, context.file_states)
    else:
        with _open_driver(step, check, packages, context) as driver, context.jobserver.token():
            key = base_key(check.fields)
            inputs, changed, uncertain = driver.build(key, context.jobserver.lost)
    outputs = read_outputs(step.output)
    runtime = _check_outputs(step, outputs, step.output, context)
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
    is_copy = isinstance(step, FilesStep)
    if not isinstance(step, FilesStep):
        note_built(step, record)
    if context.options.use_caches and not (is_copy or changed or uncertain):
        is_bound = inputs.paths.has_links or _any_contains(step.root, step.output, outputs)
        context.caches.lookup.store(record, step.output, str(step.root) if is_bound else "")
    return record


@contextlib.contextmanager
def _open_driver(
    step: CMakeStep, check: StepCheck, packages: Dependencies | None, context: BuildContext
) -> Iterator[Driver]:
    """The tools of the checked step, with the step's log open."""
    from buildtool.drivers.cmake.driver import Driver  # noqa: PLC0415 - most builds need none

    listener = context.listener
    wanted = chosen(context.options.compiler_launcher, step.compiler_launcher)
    launcher = find_compiler_launcher(wanted, step.root) if wanted else None
    if zig := step.profile.places.get("ZIG"):
        _make_zig_ready(Path(zig))
    with step_log(context.state / "logs", step.name, step.summary) as log:
        yield Driver(
            step=step,
            dependencies=packages,
            compiler_launcher=launcher,
            needs=check.fields["needs"],
            environment={**tool_environment(step, launcher), **context.jobserver.environment},
            file_states=context.file_states,
            log=log,
            on_output=lambda line: listener(StepOutput(step.name, line)),
            warnings=warnings_of(step, context),
            keep_going=context.options.keep_going,
        )


def _make_zig_ready(program: Path) -> None:
    from buildtool.cache.zig_cache import make_ready  # noqa: PLC0415 - most builds need none
    from buildtool.cache.zig_restored import renew  # noqa: PLC0415

    renew(make_ready(), program.parent / "lib")


def _check_outputs(
    step: Step, outputs: Sequence[Output], directory: Path, context: BuildContext
) -> dict[str, str]:
    """Check the step's outputs, which are in `directory`; returns the libraries that must ship
    with them, as `StepRecord.runtime`."""
    from buildtool.drivers.cmake.check_products import check_products  # noqa: PLC0415 - rarely needed
    from buildtool.drivers.cmake.step_warnings import CHECKING  # noqa: PLC0415

    files = {output.path: directory / output.path for output in outputs}
    warnings = warnings_of(step, context)
    warnings.begin(CHECKING)
    complete = check_products(step, files, lambda text: warnings.add(text, CHECKING))
    return {name: str(path) for name, path in complete.items()}


def _any_contains(path: Path, directory: Path, outputs: Sequence[Output]) -> bool:
    """Whether `path` is in the content of an output: then the outputs are right there only."""
    text = os.fsencode(path)
    return any(
        text in (directory / output.path).read_bytes()
        for output in outputs
        if output.kind != "link"
    )
