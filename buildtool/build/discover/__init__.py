"""Find out what a step read: from what CMake, Ninja and the compilers say of it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from buildtool.build.discover.finds import read_finds
from buildtool.build.discover.ninja import dependents_of, read_graph
from buildtool.build.discover.places import Finding, Places, literal
from buildtool.build.discover.shadows import Shadows
from buildtool.build.discover.trace import read_trace
from buildtool.build.disk import Disk
from buildtool.build.file_api import CMakeRead, read_build_tree, read_cmake_files
from buildtool.build.globs import Glob
from buildtool.build.inputs import PathSet
from buildtool.build.roots import Roots

__all__ = ["Discovered", "dependents", "dependents_of", "discover", "shadowed"]


@dataclass(frozen=True, slots=True)
class Discovered:
    """`paths`: all that the step looked at; `configure`: the part of it that CMake did, whose
    change needs CMake again; `install`: the part that only the install script did; `made`: what
    Ninja made."""

    paths: PathSet
    configure: PathSet
    install: PathSet
    made: frozenset[str]


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
    configured: PathSet | None = None,
) -> Discovered:
    """The inputs of the step whose built tree is `tree`.

    `trace` is what CMake wrote when it configured it (--trace-expand --trace-format=json-v1),
    `install_trace` the same of its install script; `declared` are globs from the project's root;
    `ignore` the roots whose files have an identity of their own in the step's key; `configured` is
    what CMake was found to read, when neither that nor the tree's configuration changed since.

    Raises `FileApiError`, `TraceError` and `ToolError` when a tool's answer is not to be had.
    """
    disk = disk or Disk()
    read = read_cmake_files(tree)
    graph = read_graph(tree, ninja, environment, targets)
    known = [read.root, *(roots.places[name] for name in ignore if name in roots.places)]
    places = Places(tree, roots, known, graph.made)

    if configured is None:
        configured = _configured(read, Finding(places, disk), trace, source)
    built = Finding(places, disk)
    for file in dict.fromkeys([*graph.inputs, *(h for hs in graph.headers.values() for h in hs)]):
        built.content(file)
    built.absent |= Shadows(read_build_tree(tree), graph.headers, places).absent(disk)
    for pattern in declared:
        _declare(pattern, built)
    before = configured | built.paths
    install = Finding(places, disk)
    if install_trace:
        read_trace(install_trace, install, str(source), f"{read.root}/")
    return Discovered(before | install.paths, configured, install.paths - before, graph.made)


def _configured(read: CMakeRead, found: Finding, trace: Path, source: Path) -> PathSet:
    """What CMake read when it configured the tree."""
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
    return found.paths


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
    known = [read.root, *(roots.places[name] for name in ignore if name in roots.places)]
    shadows = Shadows(read_build_tree(tree), graph.headers, Places(tree, roots, known, graph.made))
    return tuple(Path(name) for name in shadows.objects([str(path) for path in appeared]))


def dependents(
    tree: Path, ninja: Path, files: Collection[Path], environment: Mapping[str, str]
) -> tuple[Path, ...]:
    """The outputs in the built `tree` that are made directly from one of `files`.

    Raises `ToolError` when Ninja fails.
    """
    found = dependents_of(tree, ninja, files, environment)
    return tuple(sorted({path for paths in found.values() for path in paths}))
