"""Configure the build trees of a project and write what editors need of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Note
from buildtool.engine.context import BuildContext
from buildtool.engine.decide import check_step
from buildtool.engine.execute_step import execute_step
from buildtool.ide.write_files import (
    ConfiguredTree,
    Written,
    configure_step,
    missing_sources,
    preset_names,
    write_database,
    write_presets,
)
from buildtool.plan.plan import CMakeStep, Plan, Step
from buildtool.project.model import Project

Trees = dict[Path, ConfiguredTree]


def prepare_editors(
    project: Project,
    target: str,
    arch: str,
    plan_of: Callable[[str], Plan],
    context: BuildContext,
) -> tuple[tuple[Written, ...], int]:
    """Configure the build trees of all targets and write what editors need: the compile commands
    of `target`, those for `arch` first, and presets for every target.

    Returns the files, and the number of sources of `target` that a build has yet to generate.
    Another target that cannot be configured here is left out, with a note.
    """
    plan = plan_of(target)
    trees: Trees = {}
    presets: dict[Path, list[tuple[str, ConfiguredTree]]] = {}
    for name in (target, *(name for name in project.targets if name != target)):
        try:
            of_target = plan if name == target else plan_of(name)
            _configure_steps(of_target.steps, trees, context)
        except BuildtoolError as error:
            if name == target:
                raise
            context.listener(Note(f"no presets for the target {name!r}: {error.message}"))
            continue
        steps = of_target.cmake_steps
        for step, preset in zip(steps, preset_names(name, steps), strict=True):
            row = preset, trees[step.tree]._replace(step=step)
            presets.setdefault(step.source, []).append(row)
    own = [trees[step.tree] for step in plan.cmake_steps]
    own.sort(key=lambda tree: bool(arch and tree.step.arch) and tree.step.arch != arch)
    written = [write_database(project, own)]
    written += [write_presets(source, rows) for source, rows in presets.items()]
    return tuple(written), missing_sources(project, own)


def _configure_steps(steps: Sequence[Step], trees: Trees, context: BuildContext) -> None:
    """Configure the trees of `steps` that are not in `trees` yet, and put them there.

    A step that others need is built: their CMake looks for its outputs.
    """
    needed = {need for step in steps for need, _ in step.needs}
    digests: dict[str, str] = {}
    for step in steps:
        fresh = context.with_fresh_stats()
        needs = {need: digests[need] for need, _ in step.needs}
        if step.name in needed:
            digests[step.name] = execute_step(check_step(step, needs, fresh), fresh).digest
        if isinstance(step, CMakeStep) and step.tree not in trees:
            trees[step.tree] = configure_step(step, needs, fresh)
