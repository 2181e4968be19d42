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
from buildtool.drivers.cmake.scan.account import Told, account, misread
from buildtool.drivers.cmake.scan.find_commands import read_finds
from buildtool.drivers.cmake.scan.ninja import (
    dependents_of,
    read_depfiles,
    read_graph,
    read_headers,
)
from buildtool.drivers.cmake.scan.places import Finding, Places, literal
from buildtool.drivers.cmake.scan.shadows import Shadows
from buildtool.drivers.cmake.scan.trace import read_trace
from buildtool.inputs.file_states import Disk
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots

__all__ = ["Asked", "Discovered", "declare"]


@dataclass(frozen=True)
class Discovered:
    """What a step looked at, by who told of it: CMake and Ninja's rules, the compilers, the
    project file, and the install script, the last one without what others told of too.

    `misread` and `doubtful` are as those of `Account`, the last one by root.
    """

    configured: Configuration
    headers: PathSet
    declared: PathSet
    install: PathSet
    misread: Told
    doubtful: tuple[str, ...]

    @cached_property
    def paths(self) -> PathSet:
        """All of it."""
        rules = self.configured.read | self.configured.rules
        return rules | self.headers | self.declared | self.install


@dataclass(frozen=True)
class Asked:
    """The build tree that is asked about: `source` is the step's, `targets` those that it builds
    ("all" where none are named), `ignore` the roots whose files have an identity of their own in
    the step's key, `misread` the objects of which Ninja is known to be wrong (`Discovered`).

    Methods raise `FileApiError`, `TraceError` and `ToolError` when an answer is not to be had.
    """

    tree: Path
    source: Path
    ninja: Path
    environment: Mapping[str, str]
    roots: Roots
    targets: Sequence[str] = ()
    ignore: Collection[str] = ()
    misread: Told = field(default_factory=dict)

    def configuration(self, trace: Path, disk: Disk) -> Configuration:
        """What CMake read when it configured the tree, and what Ninja is to build there.

        `trace` is what CMake wrote then (--trace-expand --trace-format=json-v1).
        """
        graph = read_graph(self.tree, self.ninja, self.environment, self.targets)
        places = self._places(graph.made)
        named, found = Finding(places, disk), Finding(places, disk)
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

    def declared(self, patterns: Iterable[str], disk: Disk) -> PathSet:
        """What the project file says is read: globs from the project's root."""
        found = Finding(self._places(()), disk)
        for pattern in patterns:
            declare(pattern, found)
        return found.paths

    def discover(
        self,
        configured: Configuration,
        disk: Disk,
        *,
        declared: Sequence[str] = (),
        install_trace: Path | None = None,
        since: int = sys.maxsize,
        finished: Collection[str] = (),
    ) -> Discovered:
        """The inputs of what was built in the tree, as it was `configured`.

        `install_trace` is what the install script told, as `configuration`'s; what appeared
        `since` then (ns), while it was built, was not there; `finished` are the outputs that were
        made then, their dependency files kept.
        """
        places = self._places(configured.made)
        every = read_headers(self.tree, self.ninja, self.environment)
        wrong = {n: files for n, files in self.misread.items() if n in every and n not in finished}
        wrong |= self._misread(every, finished)
        needed = configured.made - configured.spare
        certain = account({n: files for n, files in every.items() if n in needed}, wrong, disk)
        told = certain.told
        headers = Finding(places, disk)
        for file in dict.fromkeys(itertools.chain.from_iterable(told.values())):
            headers.content(file)
        headers.absent |= Shadows(read_build_tree(self.tree), told, places).absent(disk, since)
        asked = self.declared(declared, disk)
        doubtful = tuple(map(self.roots.named, certain.doubtful))
        found = Discovered(configured, headers.paths, asked, PathSet(), certain.misread, doubtful)
        if not install_trace:
            return found
        install = Finding(places, disk)
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

    def _places(self, made: Collection[str]) -> Places:
        ignored = [self.roots.places[name] for name in self.ignore if name in self.roots.places]
        return Places(self.tree, self.roots, [self._read.root, *ignored], made)

    def _misread(self, told: Told, finished: Collection[str]) -> Told:
        objects = [name for name in told if name in finished]
        plain = all(name.endswith((".o", ".obj")) for name in objects)
        depfiles = {} if plain else read_depfiles(self.tree)
        return misread(told, objects, depfiles, str(self.tree))


def declare(pattern: str, found: Finding) -> None:
    """Files, directories with all that is in them, or globs."""
    project = found.places.roots.places["project"]
    pattern = os.path.normpath(pattern)  # there is no `..` in it
    name = "{project}" if pattern == "." else f"{{project}}/{pattern}"
    if literal(pattern) != pattern:
        found.each(Glob(name, deep=True))
    else:  # its state tells whether it is there and what it is: a glob would cost far more
        found.files.add(name)
    if os.path.isdir(f"{project}/{pattern}"):  # noqa: PTH112
        found.each(Glob(f"{name}/**", deep=True))
