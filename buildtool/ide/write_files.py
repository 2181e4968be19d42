"""Write the files that editors need, where editors look for them.

A user's own file is never overwritten: the file is then written to `.buildtool/ide`, with a note
that says how to use it from there.

The build trees of the project are configured for it, and nothing is built.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Note, open_step
from buildtool.core.files import file_digest, read_regular, write_if_changed
from buildtool.core.processes.process import capture, check
from buildtool.core.value import Described, Value
from buildtool.drivers.cmake.arguments import tool_environment
from buildtool.drivers.cmake.file_api import FileApiError, read_build_tree
from buildtool.drivers.step_drivers import CMakeDriver
from buildtool.engine.context import BuildContext
from buildtool.engine.decide import check_step
from buildtool.engine.execute_step import execute_step
from buildtool.engine.result import StepOutcome
from buildtool.ide.compile_commands import for_clangd, without_compiler_launcher
from buildtool.plan.environment import PASSED_ON, build_environment
from buildtool.plan.plan import CMakeStep, Plan, Step
from buildtool.plan.presets import (
    INCLUDED_PRESETS,
    MARK,
    PRESETS,
    USER_PRESETS,
    VERSION,
    Preset,
    presets_text,
    written_here,
)
from buildtool.project.model import Project

DATABASE = "compile_commands.json"
MAX_BYTES = 256 << 20  # one build tree's commands
_SHAPING = ("--target=", "-mcpu=", "-nostdlib")
_LIBRARY_MACRO = re.compile(r"^#define (_LIBCPP_\w+|_LIBCXXABI_\w+) ?(.*)$", re.MULTILINE)


class Written(Described):
    """One file for editors."""

    path: Annotated[Path, "path of the file"]
    changed: Annotated[bool, "whether its content is new"]
    note: Annotated[str, 'what to know about it; "" for nothing'] = ""


def write_database(project: Project, trees: Iterable[ConfiguredTree]) -> Written:
    """Write the compile commands of `trees`, in this order: clangd uses the first of each source.

    Raises `FileApiError` when CMake's description of a tree cannot be read.
    """
    macros = _Macros({})
    entries = [entry for tree in trees for entry in _commands(tree, macros)]
    text = json.dumps(entries, indent=1) + "\n"
    place = project.root / DATABASE
    record = _folder(project) / "written.json"  # a compilation database cannot hold a mark
    if _is_recorded(place, record) or (not record.exists() and _is_of_trees(place, project)):

        def remember() -> None:
            write_if_changed(record, json.dumps({place.name: file_digest(place)}) + "\n")

        return _write(place, text, remember)
    own = _folder(project) / DATABASE
    return Written(
        own,
        write_if_changed(own, text),
        f"{place} is your own and stays as it is; start clangd with"
        f" {shlex.quote(f'--compile-commands-dir={own.parent}')}",
    )


def preset_names(target: str, steps: Sequence[CMakeStep]) -> list[str]:
    """The preset name of each step of `target`, unique in the step's source directory."""
    names = []
    for step in steps:
        parts = [MARK, target]
        if len({other.component for other in steps if other.source == step.source}) > 1:
            parts.append(step.component)
        names.append("-".join([*parts, step.arch] if step.arch else parts))
    return names


def write_presets(source: Path, trees: Sequence[tuple[str, ConfiguredTree]]) -> Written:
    """Write the presets of `trees`, by name, for the components in the directory `source`."""
    presets = [_preset(name, tree) for name, tree in trees]
    place = source / USER_PRESETS
    if written_here(place) or not os.path.lexists(place):
        return _write(place, presets_text(presets))
    own = source / INCLUDED_PRESETS
    if os.path.lexists(own) and not written_here(own):
        return Written(own, False, f"{own} and {place} are your own and stay as they are")
    shared = (source / PRESETS).is_file() and any(preset.base for preset in presets)
    return Written(
        own,
        write_if_changed(own, presets_text(presets, [PRESETS] if shared else [])),
        ""
        if _mentions(place, own.name)
        else f"{place} is your own and stays as it is; to have these presets, put into it:"
        f' "version": {VERSION}, "include": ["{own.name}"]',
    )


def missing_sources(project: Project, trees: Iterable[ConfiguredTree]) -> int:
    """The number of sources that a build has yet to generate."""
    files = {
        source
        for tree in trees
        for target in read_build_tree(tree.step.tree).targets
        for group in target.groups
        for source in group.sources
    }
    return sum(1 for file in files if not file.exists() and file.is_relative_to(project.state))


def _folder(project: Project) -> Path:
    return project.state / "ide"


def _commands(tree: ConfiguredTree, macros: _Macros) -> list[dict[str, Any]]:
    file = tree.step.tree / DATABASE
    try:
        data = read_regular(file, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES >> 20} MiB")
        known = read_build_tree(tree.step.tree)
        return [command.as_json() for command in for_clangd(json.loads(data), known, macros.of)]
    except (OSError, ValueError, RecursionError, LookupError, TypeError) as error:
        raise FileApiError(
            f"the compile commands of {tree.step.name} cannot be read",
            why=f"{file}: {error}",
            remedy="Let its CMakeLists.txt leave CMAKE_EXPORT_COMPILE_COMMANDS alone.",
        ) from error


class _Macros(Value):
    """The macros that configure zig's C++ library, by the arguments that they depend on."""

    known: dict[tuple[str, ...], tuple[str, ...]]

    def of(self, command: Sequence[str]) -> tuple[str, ...]:
        """The macros of a compile command as `-D` arguments; none for C and for other compilers.

        Raises `ToolError` when zig fails.
        """
        words = without_compiler_launcher(command)
        if Path(words[0]).name != "zig" or words[1:2] != ["c++"]:
            return ()
        shaping = [word for word in words[2:] if word.startswith(_SHAPING)]
        if "-target" in words[:-1]:
            shaping += ["-target", words[words.index("-target") + 1]]
        key = (words[0], *shaping)
        if key not in self.known:
            ask = [words[0], "c++", *shaping, "-E", "-dM", "-x", "c++", os.devnull]
            said = check(capture(ask, env=build_environment(), timeout=60), "asking zig for macros")
            self.known[key] = tuple(
                f"-D{macro[1]}={macro[2]}" for macro in _LIBRARY_MACRO.finditer(said.output)
            )
        return self.known[key]


def _preset(name: str, tree: ConfiguredTree) -> Preset:
    step = tree.step
    side = f"for {step.arch}" if step.arch else "for ARM64"
    return Preset(
        name=name,
        title=f"{step.component} {side} with {step.profile.name}",
        tree=step.tree,
        cmake=step.cmake.program,
        cache=tree.cache,
        environment=tree.environment,
        base=step.preset,
        targets=step.targets,
    )


def _mentions(file: Path, text: str) -> bool:
    try:
        return file.is_file() and text in file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _write(place: Path, text: str, after: Callable[[], object] = lambda: None) -> Written:
    changed = write_if_changed(place, text)
    after()
    return Written(place, changed)


def _is_recorded(place: Path, record: Path) -> bool:
    """Whether there is no file at `place`, or the file that this program wrote last."""
    if not os.path.lexists(place):
        return True
    if place.is_symlink() or not place.is_file():
        return False
    try:
        return bool(json.loads(read_regular(record)) == {place.name: file_digest(place)})
    except (OSError, ValueError, RecursionError):
        return False


def _is_of_trees(place: Path, project: Project) -> bool:
    """Whether every command in the file runs in a build tree of the project: then this program
    wrote the file, even if the note of it was deleted."""
    try:
        if place.is_symlink() or place.stat().st_size > MAX_BYTES:
            return False
        folders = [Path(entry["directory"]) for entry in json.loads(read_regular(place))]
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return False
    trees = project.state / "build"
    return bool(folders) and all(folder.is_relative_to(trees) for folder in folders)


class ConfiguredTree(Value):
    """A configured build tree: the cache entries that CMake was given, and the environment
    variables besides those that are passed on from the caller."""

    step: CMakeStep
    cache: Mapping[str, str]
    environment: Mapping[str, str]


def configure_step(
    step: CMakeStep, needs: Mapping[str, str], context: BuildContext
) -> ConfiguredTree:
    """Configure the step's build tree if it is not up to date; `needs` are as those of
    `check_step`.  Raises as `execute_step` does."""
    driver, resources = CMakeDriver(step), context.resources
    with open_step(step.name, step.summary, context.listener) as opened:
        fields = driver.make_ready(driver.key_fields(needs), resources)
        cache, ran = driver.configure(fields, resources)
        opened.outcome = "configured" if ran else StepOutcome.UP_TO_DATE
    environment = tool_environment(step).items()
    own = {name: value for name, value in environment if name not in PASSED_ON}
    return ConfiguredTree(step, cache, own)


Trees = dict[Path, ConfiguredTree]


def prepare_editors(
    project: Project, target: str, arch: str, plan_of: Callable[[str], Plan], context: BuildContext
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
