"""The verbs as compositions of stages: each stage takes one frozen value and returns the next."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.events import Listener, Note
from buildtool.core.lock import locked
from buildtool.engine.check_target import check_together
from buildtool.engine.context import building
from buildtool.engine.executor import run_plan
from buildtool.plan.plan import Plan, find_target, make_plan
from buildtool.project.model import BUILD_TYPES, BUILT_IN_TARGET, Project
from buildtool.release.stage import stage as stage_release
from buildtool.toolchains.choose import profiles

if TYPE_CHECKING:  # start-up counts: each verb imports what only it needs
    from buildtool.deploy.emulated.run import RunResult
    from buildtool.deploy.sysroot.device_files import DeviceFiles
    from buildtool.engine import clean as cleaning
    from buildtool.engine.context import Building, Options
    from buildtool.engine.execute_step import Configured
    from buildtool.engine.explain import Explained
    from buildtool.engine.result import Built
    from buildtool.ide.write_files import Written
    from buildtool.release.stage import Staged
    from buildtool.sdk.sysroot import Sysroot


def plan(project: Project, target_name: str) -> Plan:
    """What building `target_name` consists of; nothing is touched."""
    target = find_target(project, target_name)
    return make_plan(project, target_name, *profiles(project, target))


def stage(
    project: Project, target_name: str, listener: Listener, options: Options | None = None
) -> tuple[Built, Staged]:
    """Build `target_name` and lay out what it ships."""
    todo = plan(project, target_name)
    with _alone(project, listener), building(todo.state, listener, options) as shared:
        built = run_plan(todo, shared)
        try:
            return built, _lay_out(built, shared)
        except BuildtoolError as error:
            from buildtool.engine.bad_actions import rebuilding

            again = rebuilding(built, shared, error)
        built = run_plan(todo, again)
        return built, _lay_out(built, again)


def _lay_out(built: Built, shared: Building) -> Staged:
    try:
        check_together(built.steps, shared.state / "checked" / built.plan.target)
        return stage_release(built, shared.file_states.with_fresh_stats())
    except BuildtoolError as error:
        from buildtool.engine.report import report

        error.document = report(built.plan, built.steps)
        raise


def clean(
    project: Project, target_name: str, *, dear: bool, listener: Listener
) -> cleaning.Removed:
    """Remove what builds of `target_name` made, of all targets if it is ""; with `dear` then also
    what is expensive to make."""
    from buildtool.engine import clean as cleaning

    if target_name and dear:
        raise UsageError(
            "--all is for all targets",
            why="packages and emulated devices belong to no target",
            remedy="buildtool clean --all",
        )
    with _alone(project, listener):
        paths = (
            cleaning.of_target(plan(project, target_name))
            if target_name
            else cleaning.everything(project.state, dear=dear)
        )
        return cleaning.remove(project.state, paths)


def with_build_type(project: Project, target_name: str, build_type: str) -> Project:
    """The project with another build type of that target; raises `UsageError`."""
    if build_type not in BUILD_TYPES:
        raise UsageError(
            f"{build_type!r} is no build type", remedy=f"Take one of: {', '.join(BUILD_TYPES)}."
        )
    target = find_target(project, target_name)._replace(build_type=build_type)
    return project._replace(targets={**project.targets, target_name: target})


def explain(project: Project, target_name: str, listener: Listener) -> tuple[Explained, ...]:
    """What building `target_name` would do now, and why."""
    from buildtool.engine.explain import explain as explain_plan

    todo = plan(project, target_name)
    with building(todo.state, listener) as shared:
        return explain_plan(todo, shared)


def last_build(project: Project, target_name: str) -> tuple[Explained, ...] | None:
    """What the last build of `target_name` did; None when none is known of."""
    from buildtool.engine.explain import last_build as noted_build

    find_target(project, target_name)
    return noted_build(project.state / "state", target_name)


def _alone(project: Project, listener: Listener) -> contextlib.AbstractContextManager[None]:
    """The project's build trees, nobody else's for the while."""

    def waiting() -> None:
        listener(Note("waiting for another buildtool in this project"))

    return locked(project.state / "build.lock", waiting)


def prepare_editors(
    project: Project, target_name: str, arch: str, listener: Listener
) -> tuple[tuple[Written, ...], int]:
    """Configure the build trees of all targets and write what editors need: compile commands of
    `target_name`, those for `arch` first, and presets of every target.

    Returns the files, and how many sources of `target_name` only a build makes.  Another target
    that cannot be configured here is left out, with a note.
    """
    from buildtool.engine.execute_step import configure
    from buildtool.ide.write_files import (
        missing_sources,
        preset_names,
        write_database,
        write_presets,
    )

    chosen = plan(project, target_name)
    others = [name for name in project.targets if name != target_name]
    done: dict[Path, Configured] = {}
    presets: dict[Path, list[tuple[str, Configured]]] = {}
    with _alone(project, listener), building(chosen.state, listener) as shared:
        for name in (target_name, *others):
            try:
                steps = chosen.steps if name == target_name else plan(project, name).steps
                for step, preset in zip(steps, preset_names(name, steps), strict=True):
                    if step.tree not in done:
                        done[step.tree] = configure(step, shared, {})
                    tree = done[step.tree]._replace(step=step)
                    presets.setdefault(step.source, []).append((preset, tree))
            except BuildtoolError as error:
                if name == target_name:
                    raise
                listener(Note(f"no presets for the target {name!r}: {error.message}"))
        trees = [done[step.tree] for step in chosen.steps]
        trees.sort(key=lambda tree: bool(arch and tree.step.arch) and tree.step.arch != arch)
        written = [write_database(project, trees)]
        written += [write_presets(source, rows) for source, rows in presets.items()]
        return tuple(written), missing_sources(project, trees)


def run_emulated(
    project: Project,
    target_name: str,
    command: Sequence[str],
    *,
    soc_name: str,
    listener: Listener,
    options: Options | None = None,
    stdout: int | None = None,
) -> RunResult:
    """Build, stage, and run `command` on the emulated device; `stdout` as in `run`."""
    from buildtool.deploy.emulated.device import check_fits, check_platform, prepare
    from buildtool.deploy.emulated.run import run as run_program
    from buildtool.deploy.emulated.socs import find_soc

    soc = find_soc(soc_name)
    target = find_target(project, target_name)
    check_platform(target_name, target.platform)
    _, staged = stage(project, target_name, listener, options)
    device = prepare(
        project.state / "device" / soc.name.lower(), soc, listener, project.tool("qemu")
    )
    arch = check_fits(device, staged, target.glibc)
    return run_program(device, staged, arch, command, stdout=stdout)


def pull_sysroot(
    device_name: str, *, name: str, libc: bool, soc_name: str, listener: Listener
) -> tuple[Sysroot, bool]:
    """Fetch the sysroot of `device_name`: `sim`, or a directory; `soc_name` is for `sim`.

    Returns it and whether it changed.  It is called `name`, by default as the device is.
    """
    from buildtool.core.cache import cache_dir
    from buildtool.deploy.emulated.device import prepare
    from buildtool.deploy.emulated.socs import DEFAULT_SOC, find_soc
    from buildtool.deploy.sysroot.directory import open_directory
    from buildtool.deploy.sysroot.emulated import files_of
    from buildtool.deploy.sysroot.pull import pull

    device: DeviceFiles
    if device_name == BUILT_IN_TARGET:
        soc = find_soc(soc_name or DEFAULT_SOC)
        device = files_of(prepare(cache_dir() / "device" / soc.name.lower(), soc, listener))
        name = name or BUILT_IN_TARGET
    elif soc_name:
        raise UsageError(
            "--soc is for sim only",
            why=f"{device_name} tells itself which SoC it has",
            remedy=f"buildtool sysroot pull {device_name}",
        )
    else:
        device = directory = open_directory(Path(device_name))
        name = name or directory.root.name
    return pull(
        device,
        name,
        libc=libc,
        waiting=lambda: listener(Note(f"waiting for another pull of {name}")),
    )
