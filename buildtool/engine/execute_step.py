"""One step, from what there is to what it ships: nothing to do, taken from a cache, or built."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.cache.outputs import Output, read_outputs
from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Listener, Note, StepFinished, StepOutput, StepStarted, Warned
from buildtool.core.files import value_digest
from buildtool.core.lock import locked
from buildtool.core.value import Value
from buildtool.drivers.cmake.arguments import tool_environment
from buildtool.drivers.cmake.launcher import chosen, find_launcher
from buildtool.drivers.cmake.step_log import step_log
from buildtool.engine.context import Building
from buildtool.engine.decide import Judged, finished, judge
from buildtool.engine.lookup import Kept
from buildtool.engine.record import Record, record_file, write_record
from buildtool.engine.result import BuiltStep
from buildtool.inputs.path_sets import PathSet, observe
from buildtool.plan.environment import PASSED_ON
from buildtool.plan.plan import CMakeStep
from buildtool.plan.step_key import step_key
from buildtool.sdk.cmake import CMake

if TYPE_CHECKING:
    from buildtool.drivers.cmake.driver import Driver
    from buildtool.drivers.conan.install import Dependencies


def carry_out(step: CMakeStep, building: Building, needs: Mapping[str, str]) -> BuiltStep:
    """Bring the step's outputs up to date: from a cache, else by its tools.

    Raises what the tools' drivers and the checks of what came out raise.
    """
    listener = building.listener
    started = time.monotonic()
    listener(StepStarted(step.name, step.summary))
    outcome = "failed"
    waiting = Note(f"{step.name}: waiting for another buildtool")
    try:
        with locked(step.tree.with_suffix(".lock"), lambda: listener(waiting)):
            # Only now: another buildtool may have done it all, and steps before this one ran.
            building = building.now()
            judged = judge(step, building, needs)
            if judged.record and not judged.reasons:
                done = _Done("up-to-date", judged.record)
            else:
                done = _carry_out(judged, building, started)
            outcome = done.outcome
    finally:
        listener(StepFinished(step.name, outcome, time.monotonic() - started))
    seconds = time.monotonic() - started
    return finished(judged, done.outcome, done.record, seconds, done.origin)


class Configured(Value):
    """A configured build tree: the CMake that made it, the cache entries that it was given, and
    the environment besides what is the caller's own."""

    step: CMakeStep
    cmake: CMake
    cache: Mapping[str, str]
    environment: Mapping[str, str]


def configure(step: CMakeStep, building: Building, needs: Mapping[str, str]) -> Configured:
    """Configure the step's build tree if need be, and build nothing; raises as `carry_out` does."""
    listener, started = building.listener, time.monotonic()
    listener(StepStarted(step.name, step.summary))
    outcome = "failed"
    waiting = Note(f"{step.name}: waiting for another buildtool")
    try:
        with locked(step.tree.with_suffix(".lock"), lambda: listener(waiting)):
            judged = judge(step, building.now(), needs)
            packages = _dependencies(judged, building)
            fields = {**judged.fields, "packages": packages.key if packages else ""}
            with _driver(judged, building, packages) as driver:
                _, ran = driver.ensure_configured(foundation(fields))
                outcome = "configured" if ran else "up-to-date"
    finally:
        listener(StepFinished(step.name, outcome, time.monotonic() - started))
    told = {name: value for name, value in tool_environment(step).items() if name not in PASSED_ON}
    return Configured(step, judged.cmake, driver.cache, told)


def _carry_out(judged: Judged, building: Building, started: float) -> _Done:
    with building.jobserver.token():
        packages = _dependencies(judged, building)
    fields = {**judged.fields, "packages": packages.key if packages else ""}
    done = _restored(judged, building, fields) or _built(
        judged, building, fields, packages, started
    )
    write_record(record_file(building.state, judged.step), done.record)
    return done


def _restored(judged: Judged, building: Building, fields: dict[str, Any]) -> _Done | None:
    """Check the step's outputs that a cache has, and take them."""
    step, key, lookup = judged.step, step_key(fields), building.caches.lookup
    if step.name in building.rebuild:
        return None
    hit = lookup.find(key, judged.roots, building.file_states)
    if not hit:
        return None
    action = hit.action
    ships: dict[str, str] = {}

    def check(fresh: Path) -> None:
        from buildtool.drivers.cmake.products import check_installed  # noqa: PLC0415 - by now loaded

        check_installed(step, fresh)
        ships.update(_ships(step, action.outputs, fresh, building.listener))

    try:
        if not lookup.restore(hit, step.output, check):
            return None
    except BuildtoolError as error:
        from buildtool.engine.bad_actions import reject  # noqa: PLC0415 - most actions are good

        reject(building, step.name, action.action_key, action.server, error)
        return None
    record = Record(
        key, fields, hit.inputs, action.outputs, (), ships, action.seconds, action.server
    )
    return _Done("restored", record, hit.origin)


def _built(
    judged: Judged,
    building: Building,
    fields: dict[str, Any],
    packages: Dependencies | None,
    started: float,
) -> _Done:
    """Have the step's outputs made, check them, and give them to the caches."""
    step, roots, key = judged.step, judged.roots, step_key(fields)
    with _driver(judged, building, packages) as driver, building.jobserver.token():
        inputs, moved, doubtful = driver.build(foundation(fields), building.jobserver.lost)
    outputs = read_outputs(step.output)
    ships = _ships(step, outputs, step.output, building.listener)
    if own := set(ships.values()) & set(map(str, step.profile.runtime.values())):
        paths = inputs.paths | PathSet.of(map(roots.named, own))
        inputs = observe(paths, roots, building.file_states.with_fresh_stats())
    seconds = time.monotonic() - started
    if not moved and not doubtful:
        here_only = inputs.paths.has_links or mentions(step.output, outputs, step.root)
        place = str(step.root) if here_only else ""
        building.caches.lookup.store(key, inputs, Kept(outputs, step.output, place), seconds)
    record = Record(key, fields, inputs, outputs, moved, ships, seconds, doubtful=doubtful)
    return _Done("built", record)


def _dependencies(judged: Judged, building: Building) -> Dependencies | None:
    """Make the step's packages ready, if it has any."""
    if not judged.step.conan:
        return None
    from buildtool.drivers.conan.install import dependencies  # noqa: PLC0415 - most have none

    return dependencies(judged.step, judged.cmake, building.listener)


@contextlib.contextmanager
def _driver(judged: Judged, building: Building, packages: Dependencies | None) -> Iterator[Driver]:
    """The step's tools, with its log."""
    from buildtool.cache.zig_cache import make_ready  # noqa: PLC0415 - most builds need none
    from buildtool.drivers.cmake.driver import Driver  # noqa: PLC0415

    step, listener = judged.step, building.listener
    wanted = chosen(building.options.launcher, step.launcher)
    launcher = find_launcher(wanted, step.root) if wanted else None
    if "ZIG" in step.profile.places:
        make_ready()
    with step_log(building.state / "logs", step.name, step.summary) as log:
        yield Driver(
            step=step,
            cmake=judged.cmake,
            dependencies=packages,
            launcher=launcher,
            needs=judged.fields["needs"],
            environment={**tool_environment(step, launcher), **building.jobserver.environment},
            roots=judged.roots,
            file_states=building.file_states,
            log=log,
            say=lambda line: listener(StepOutput(step.name, line)),
            warn=lambda text: listener(Warned(step.name, text)),
            keep_going=building.options.keep_going,
        )


class _Done(Value):
    """How a step came to its record; `origin` is the cache that it was restored from."""

    outcome: str
    record: Record
    origin: str = ""


def _ships(
    step: CMakeStep, outputs: Sequence[Output], folder: Path, listener: Listener
) -> dict[str, str]:
    """Check what the step made, which is in `folder`; returns what must ship with it, as
    `Record.runtime`."""
    from buildtool.drivers.cmake.check_products import check_products  # noqa: PLC0415 - by now loaded

    files = {output.path: folder / output.path for output in outputs}
    complete = check_products(step, files, lambda text: listener(Warned(step.name, text)))
    return {name: str(path) for name, path in complete.items()}


def mentions(directory: Path, outputs: Sequence[Output], place: Path) -> bool:
    """Whether any of the outputs has the path `place` in it: then it is right there only."""
    sought = os.fsencode(place)
    return any(
        sought in (directory / output.path).read_bytes()
        for output in outputs
        if output.kind != "link"
    )


def foundation(fields: Mapping[str, Any]) -> str:
    """What no part of a build tree may outlive: no tool tells what of it depends on these."""
    said = ("version", "profile", "environment", "tools", "packages")
    inputs, targets = fields["component"]["inputs"], fields["cmake"]["targets"]
    return value_digest([inputs, targets, *(fields[name] for name in said)])
