"""The inputs of a target as a build has read them: what is watched, and what has changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from buildtool.core.value import Value
from buildtool.engine.record import read_record, record_file
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import InputSet, PathSet, changes, observe
from buildtool.inputs.roots import RootError, Roots, shown
from buildtool.plan.plan import Plan
from buildtool.project.model import Project
from buildtool.watch.places import WatchedPlaces

PROJECT = "{project}/"
Read = tuple[InputSet, Roots]
"""Inputs that were read, and the directories that their names begin with."""


class Inputs(Value):
    """The inputs of the project and of the steps of a target.

    `late` are the inputs that changed while a step was built, which may have read them before that.
    """

    parts: tuple[Read, ...]
    late: tuple[str, ...]

    def changed(self, file_states: FileStates) -> tuple[str, ...]:
        """The inputs that differ now: paths relative to the project, and absolute ones."""
        found: list[str] = []
        for inputs, roots in self.parts:
            rows = changes(inputs, observe(inputs.paths, roots, file_states))
            found += [_shown(row.path, roots) for row in rows]
        return tuple(dict.fromkeys(found))


def project_inputs(project: Project, files: Iterable[Path], file_states: FileStates) -> Read:
    """The inputs that belong to no step: the project file, other `files`, and large files."""
    roots = Roots({"project": project.root})
    patterns = [pattern for data in project.data.values() for pattern in data.files]
    globs = [Glob(PROJECT + pattern, deep=True) for pattern in patterns]
    names = [roots.name_of(path) for path in (project.root / "buildtool.toml", *files)]
    found = observe(PathSet.of(names, globs=globs), roots, file_states).found
    names += [name for matches in found.values() for name in matches]
    return observe(PathSet.of(names, globs=globs), roots, file_states), roots


def target_inputs(plan: Plan, project: Read) -> Inputs:
    """The inputs of the project, and those of the plan's steps at their last builds.

    Steps without a record are left out, and those whose records are of other tools.
    """
    parts, late = [project], []
    for step in plan.steps:
        record = read_record(record_file(plan.state, step))
        try:
            if record:
                for name in record.inputs.paths.files:
                    step.roots.path_of(name)
                parts.append((record.inputs, step.roots))
                late += [_shown(name, step.roots) for name in record.changed_during_build]
        except RootError:
            continue
    return Inputs(tuple(parts), tuple(late))


def places_of(plan: Plan, inputs: Inputs) -> WatchedPlaces:
    """Where changes of these inputs are seen, and other files in the plan's components."""
    places = WatchedPlaces(str(plan.state.parent))
    for read, roots in inputs.parts:
        places.add_paths(read.paths, roots)
    for step in plan.cmake_steps:
        places.add_tree(str(step.source))
    return places


def _shown(name: str, roots: Roots) -> str:
    if name.startswith(PROJECT) or roots.is_parent(name):
        return shown(name)
    return roots.path_of(name)
