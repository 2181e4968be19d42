"""Find out what a step read: from what CMake, Ninja and the compilers say of it."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from buildtool.drivers.cmake.build_tree import Configuration
from buildtool.drivers.cmake.file_api import CMakeRead, read_build_tree, read_cmake_files
from buildtool.drivers.cmake.scan.compiler_reads import FilesByObject, certain_reads, misread
from buildtool.drivers.cmake.scan.find_commands import read_finds
from buildtool.drivers.cmake.scan.input_collector import InputCollector, literal
from buildtool.drivers.cmake.scan.ninja import (
    dependents_of,
    read_depfiles,
    read_graph,
    read_headers,
)
from buildtool.drivers.cmake.scan.path_filter import PathFilter
from buildtool.drivers.cmake.scan.shadows import Shadows
from buildtool.drivers.cmake.scan.trace import read_trace
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots


@dataclass(frozen=True)
class StepInputs:
    """What a step looked at, by who told of it: CMake and Ninja's rules, the compilers, the
    project file, and the install script, the last one without what others told of too.

    `misread` and `doubtful` are as those of `CompilerReads`, the last one by root.
    """

    configured: Configuration
    headers: PathSet
    declared: PathSet
    install: PathSet
    misread: FilesByObject
    doubtful: tuple[str, ...]

    @cached_property
    def paths(self) -> PathSet:
        """All of it."""
        rules = self.configured.read | self.configured.rules
        return rules | self.headers | self.declared | self.install


@dataclass(frozen=True)
class InputScanner:
    """The build tree that is asked about: `source` is the step's, `targets` those that it builds
    ("all" where none are named), `ignore` the roots whose files have an identity of their own in
    the step's key, `misread` the objects of which Ninja is known to be wrong (`StepInputs`).

    Methods raise `FileApiError`, `TraceError` and `ToolError` when an answer is not to be had.
    """

    tree: Path
    source: Path
    ninja: Path
    environment: Mapping[str, str]
    roots: Roots
    targets: Sequence[str] = ()
    ignore: Collection[str] = ()
    misread: FilesByObject = field(default_factory=dict)

    def configuration(self, trace: Path, file_states: FileStates) -> Configuration:
        """What CMake read when it configured the tree, and what Ninja is to build there.

        `trace` is what CMake wrote then (--trace-expand --trace-format=json-v1).
        """
        graph = read_graph(self.tree, self.ninja, self.environment, self.targets)
        path_filter = self._places(graph.made)
        named, found = (
            InputCollector(path_filter, file_states),
            InputCollector(path_filter, file_states),
        )
        for file in graph.inputs:
            named.content(file)
        read = self._read
        for path in read.files:
            found.content(str(path))
        for glob in read.globs:
            found.listing(
                glob.expression,
                recursive=glob.recursive,
                directories=glob.directories,
                follow=glob.follow,
            )
        read_trace(trace, found, str(self.source), f"{read.root}/")
        if read.log:
            read_finds(read.log, found)
        return Configuration(found.paths, named.paths, graph.made, graph.made - graph.needed)

    def declared(self, patterns: Iterable[str], file_states: FileStates) -> PathSet:
        """What the project file says is read: globs from the project's root."""
        found = InputCollector(self._places(()), file_states)
        for pattern in patterns:
            declare(pattern, found)
        return found.paths

    def step_inputs(
        self,
        configured: Configuration,
        file_states: FileStates,
        *,
        declared: Sequence[str] = (),
        install_trace: Path | None = None,
        since: int = sys.maxsize,
        finished: Collection[str] = (),
    ) -> StepInputs:
        """The inputs of what was built in the tree, as it was `configured`.

        `install_trace` is what the install script told, as `configuration`'s; what appeared
        `since` then (ns), while it was built, was not there; `finished` are the outputs that were
        made then, their dependency files kept.
        """
        path_filter = self._places(configured.made)
        every = read_headers(self.tree, self.ninja, self.environment)
        wrong = {n: files for n, files in self.misread.items() if n in every and n not in finished}
        wrong |= self._misread(every, finished)
        needed = configured.made - configured.spare
        certain = certain_reads(
            {n: files for n, files in every.items() if n in needed}, wrong, file_states
        )
        told = certain.told
        headers = InputCollector(path_filter, file_states)
        for file in dict.fromkeys(itertools.chain.from_iterable(told.values())):
            headers.content(file)
        headers.absent |= Shadows(read_build_tree(self.tree), told, path_filter).absent(
            file_states, since
        )
        scanner = self.declared(declared, file_states)
        doubtful = tuple(map(self.roots.named, certain.doubtful))
        found = StepInputs(configured, headers.paths, scanner, PathSet(), certain.misread, doubtful)
        if not install_trace:
            return found
        install = InputCollector(path_filter, file_states)
        read_trace(install_trace, install, str(self.source), f"{self._read.root}/")
        return replace(found, install=install.paths - found.paths)

    def shadowed(self, appeared: Collection[Path]) -> tuple[Path, ...]:
        """The objects whose compiler would find one of the files that `appeared`, or one below
        such a directory, in place of what it found."""
        if not appeared:
            return ()
        made = read_graph(self.tree, self.ninja, self.environment).made
        every = read_headers(self.tree, self.ninja, self.environment)
        told = {n: self.misread.get(n) or files for n, files in every.items() if n in made}
        shadows = Shadows(read_build_tree(self.tree), told, self._places(made))
        return tuple(Path(name) for name in shadows.objects([str(path) for path in appeared]))

    def dependents(self, files: Collection[Path]) -> dict[Path, tuple[Path, ...]]:
        """For each of `files` what is made directly from it, as far as a tool told."""
        known = {name: paths for name, paths in self.misread.items() if paths}
        return dependents_of(self.tree, self.ninja, files, self.environment, known)

    @cached_property
    def _read(self) -> CMakeRead:
        return read_cmake_files(self.tree)

    def _places(self, made: Collection[str]) -> PathFilter:
        ignored = [self.roots.places[name] for name in self.ignore if name in self.roots.places]
        return PathFilter(self.tree, self.roots, [self._read.root, *ignored], made)

    def _misread(self, told: FilesByObject, finished: Collection[str]) -> FilesByObject:
        objects = [name for name in told if name in finished]
        plain = all(name.endswith((".o", ".obj")) for name in objects)
        depfiles = {} if plain else read_depfiles(self.tree)
        return misread(told, objects, depfiles, str(self.tree))


def declare(pattern: str, found: InputCollector) -> None:
    """Files, directories with all that is in them, or globs."""
    project = found.path_filter.roots.places["project"]
    pattern = os.path.normpath(pattern)  # there is no `..` in it
    name = "{project}" if pattern == "." else f"{{project}}/{pattern}"
    if literal(pattern) != pattern:
        found.each(Glob(name, deep=True))
    else:  # its state tells whether it is there and what it is: a glob would cost far more
        found.files.add(name)
    if os.path.isdir(f"{project}/{pattern}"):  # noqa: PTH112
        found.each(Glob(f"{name}/**", deep=True))
