"""Which paths are inputs, and under which name: collected from all that tells of them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path

from buildtool.drivers.cmake.scan.spelling import Spellings
from buildtool.inputs.roots import Roots
from buildtool.project.model import STATE

PROBES = re.compile(
    r"/Modules/(?:CMake(?:Determine|Test|FindBinUtils|NinjaFindMake|Parse[IL]|System|Generic"
    r"|Initialize|Compiler|Common|Language|\w+Information)|Compiler/|Platform/|Internal/|Linker/)"
)
"""The modules by which CMake finds out about compilers: what these look at is the toolchain's
identity, no input of the project."""


class PathFilter:
    """Names of paths; knows what is no input.

    No inputs are: what is in the build tree (the build makes it), what this tool keeps in the
    project (it is in the step's key), what lies below a directory of `known` (it has an identity
    of its own there: the toolchain, CMake's modules), and `made` files.  A link in the build tree
    stands for what it leads to.
    """

    def __init__(
        self, tree: Path, roots: Roots, known: Collection[Path] = (), made: Collection[str] = ()
    ) -> None:
        self.roots = roots
        self.tree = os.path.normpath(tree)
        self.made = frozenset(made)
        self.spellings = Spellings()
        skipped = [self.tree, *(os.path.normpath(place) for place in known)]
        if project := roots.places.get("project"):
            skipped.append(f"{os.path.normpath(project)}/{STATE}")
        real = [os.path.realpath(place) for place in skipped]
        self._skipped = tuple(f"{place}/" for place in dict.fromkeys([*skipped, *real]))
        self._tree = tuple(f"{place}/" for place in dict.fromkeys([self.tree, real[0]]))
        self._real_roots = Roots({n: Path(os.path.realpath(p)) for n, p in roots.places.items()})
        self._real_directories: dict[str, str] = {}

    def name(self, path: str) -> str | None:
        """The name by root of an absolute path; None when it is no input."""
        path = self.spellings.tidy(path)
        if path in self.made or f"{path}/".startswith(self._tree):
            real = self._real(path)
            if path in self.made and real == self._real(path, last=False):
                return None  # it is no link
            name = self._named(real)
            return None if name and self.roots.at(name) in self.made else name
        if "/.." in path and f"{self._real(path)}/".startswith(self._skipped):
            return None
        return self._named(path)

    def _named(self, path: str) -> str | None:
        if f"{path}/".startswith(self._skipped):
            return None
        name = self.roots.named(path)
        if name[0] == "/":  # a compiler may have followed the link that leads to the project
            real = self._real(path, last=False)
            if f"{real}/".startswith(self._skipped):
                return None
            other = self._real_roots.named(real)
            return other if other[0] != "/" else name
        return name

    def directory(self, path: str) -> str:
        """A directory by the one path that all its spellings have; instead of one that cannot be
        reached, the `Place.obstacle`."""
        place = self.spellings.place(path)
        name = self.name(place.obstacle or place.path)
        return self.roots.at(name) if name else place.path

    def _real(self, path: str, *, last: bool = True) -> str:
        """The path without links; the `last` part may stay one."""
        directory, _, name = path.rpartition("/")
        real = self._real_directories.get(directory)
        if real is None:
            real = self._real_directories[directory] = os.path.realpath(directory or "/")
        real = f"{real.rstrip('/')}/{name}"
        return os.path.realpath(real) if last and os.path.islink(real) else real  # noqa: PTH114
