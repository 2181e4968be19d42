"""Find out what a step read: from what CMake, Ninja and the compilers say of it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from buildtool.build.discover.finds import read_finds
from buildtool.build.discover.ninja import NinjaGraph, dependents_of, read_graph, read_headers
from buildtool.build.discover.places import Finding, Places, literal
from buildtool.build.discover.shadows import Shadows
from buildtool.build.discover.trace import read_trace
from buildtool.build.disk import Disk
from buildtool.build.file_api import CMakeRead, read_build_tree, read_cmake_files
from buildtool.build.globs import Glob
from buildtool.build.inputs import PathSet
from buildtool.build.roots import Roots
from buildtool.build.tree import Configuration

__all__ = ["Discovered", "dependents_of", "discover", "shadowed"]


@dataclass(frozen=True)
class Discovered:
    """What a step looked at, by who told of it: CMake and Ninja's rules, the compilers, the
    project file, and the install script, the last one without what others told of too."""

    configured: Configuration
    headers: PathSet
    declared: PathSet
    install: PathSet

    @cached_property
    def paths(self) -> PathSet:
        """All of it."""
        return self.before_install | self.install

    @cached_property
    def before_install(self) -> PathSet:
        return self.configured.read | self.configured.rules | self.headers | self.declared


def discover(
    tree: Path,
    *,
    source: Path,
    ninja: Path,
    environment: Mapping[str, str],
    targets: Sequence[str],
    trace: Path,
    roots: Roots,
    declared: Sequence[str] = (),
    ignore: Collection[str] = (),
    install_trace: Path | None = None,
    disk: Disk | None = None,
    configured: Configuration | None = None,
) -> Discovered:
    """The inputs of the step whose built tree is `tree`.

    `trace` is what CMake wrote when it configured it (--trace-expand --trace-format=json-v1),
    `install_trace` the same of its install script; `declared` are globs from the project's root;
    `ignore` the roots whose files have an identity of their own in the step's key; `configured` is
    what was found of this very configuration before.

    Raises `FileApiError`, `TraceError` and `ToolError` when a tool's answer is not to be had.
    """
    disk = disk or Disk()
    read = read_cmake_files(tree)
    known = [read.root, *(roots.places[name] for name in ignore if name in roots.places)]
    if configured is None:
        graph = read_graph(tree, ninja, environment, targets)
        places = Places(tree, roots, known, graph.made)
        configured = _configured(read, graph, Finding(places, disk), trace, source)
    else:
        places = Places(tree, roots, known, configured.made)
    needed = configured.made - configured.spare
    told = {
        name: files
        for name, files in read_headers(tree, ninja, environment).items()
        if name in needed
    }
    headers = Finding(places, disk)
    for file in dict.fromkeys(itertools.chain.from_iterable(told.values())):
        headers.content(file)
    headers.absent |= Shadows(read_build_tree(tree), told, places).absent(disk)
    asked = Finding(places, disk)
    for pattern in declared:
        _declare(pattern, asked)
    found = Discovered(configured, headers.paths, asked.paths, PathSet())
    if not install_trace:
        return found
    install = Finding(places, disk)
    read_trace(install_trace, install, str(source), f"{read.root}/")
    return replace(found, install=install.paths - found.before_install)


def _configured(
    read: CMakeRead, graph: NinjaGraph, found: Finding, trace: Path, source: Path
) -> Configuration:
    """What the configured tree tells, with no look at what was built in it."""
    named = Finding(found.places, found.disk)
    for file in graph.inputs:
        named.content(file)
    for path in read.files:
        found.content(str(path))
    for glob in read.globs:
        found.listing(
            glob.expression,
            recursive=glob.recursive,
            directories=glob.directories,
            follow=glob.follow,
        )
    read_trace(trace, found, str(source), f"{read.root}/")
    if read.log:
        read_finds(read.log, found)
    return Configuration(found.paths, named.paths, graph.made, graph.made - graph.needed)


def _declare(pattern: str, found: Finding) -> None:
    """Files, directories with all that is in them, or globs."""
    project = found.places.roots.places["project"]
    pattern = pattern.strip("/")
    found.each(Glob(f"{{project}}/{pattern}", deep=True))
    # One that is not there yet may become a directory.
    if literal(pattern) == pattern or os.path.isdir(f"{project}/{pattern}"):  # noqa: PTH112
        found.each(Glob(f"{{project}}/{pattern}/**", deep=True))


def shadowed(
    tree: Path,
    *,
    ninja: Path,
    environment: Mapping[str, str],
    roots: Roots,
    appeared: Collection[Path],
    ignore: Collection[str] = (),
) -> tuple[Path, ...]:
    """The objects of the built `tree` whose compiler would find one of the files that
    `appeared`, or one below such a directory, in place of what it found.

    Raises `FileApiError` and `ToolError` as `discover` does.
    """
    if not appeared:
        return ()
    read = read_cmake_files(tree)
    graph = read_graph(tree, ninja, environment)
    headers = read_headers(tree, ninja, environment)
    told = {name: files for name, files in headers.items() if name in graph.made}
    known = [read.root, *(roots.places[name] for name in ignore if name in roots.places)]
    shadows = Shadows(read_build_tree(tree), told, Places(tree, roots, known, graph.made))
    return tuple(Path(name) for name in shadows.objects([str(path) for path in appeared]))
