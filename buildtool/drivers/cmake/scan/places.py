"""Which paths are inputs, and under which name: collected from all that tells of them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.drivers.cmake.scan.spelling import Spellings
from buildtool.inputs.file_states import Disk
from buildtool.inputs.globs import Glob, matches
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots
from buildtool.project.model import STATE

_WILD = re.compile(r"[*?\[]")
PROBES = re.compile(
    r"/Modules/(?:CMake(?:Determine|Test|FindBinUtils|NinjaFindMake|Parse[IL]|System|Generic"
    r"|Initialize|Compiler|Common|Language|\w+Information)|Compiler/|Platform/|Internal/|Linker/)"
)
"""The modules by which CMake finds out about compilers: what these look at is the toolchain's
identity, no input of the project."""


class Places:
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


@dataclass(slots=True)
class Finding:
    """Paths as they are found; `paths` is the sum."""

    places: Places
    disk: Disk
    files: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    globs: set[Glob] = field(default_factory=set)

    @property
    def paths(self) -> PathSet:
        return PathSet.of(self.files, self.absent, self.globs)

    def content(self, path: str) -> None:
        """The content of a file matters."""
        if name := self._name(path):
            self.files.add(name)

    def existence(self, path: str) -> None:
        """It matters whether there is a file, or anything else, not what is in it."""
        if not (name := self._name(path)):
            return
        path = self.places.roots.at(name)
        if os.path.isfile(path):  # noqa: PTH113
            self.globs.add(Glob(literal(name)))
        elif os.path.lexists(path):  # a directory, or a link to nothing: their state is what counts
            self.files.add(name)
        else:
            self.absent.add(name)

    def whole(self, path: str) -> None:
        """A file, or everything in a directory, matters."""
        if not os.path.isdir(path):  # noqa: PTH112
            self.content(path)
        elif name := self._name(path):
            self.each(Glob(f"{literal(name)}/**", deep=True))

    def each(self, glob: Glob) -> None:
        """What a glob matches matters, and the content of all that."""
        self.globs.add(glob)
        self.files.update(matches(glob, self.places.roots, self.disk))

    def listing(
        self,
        pattern: str,
        base: str = "",
        *,
        recursive: bool = False,
        directories: bool = True,
        follow: bool = False,
    ) -> None:
        """What a glob of CMake's matches matters; a relative one begins at `base`."""
        wild = _WILD.search(pattern)
        cut = pattern.rfind("/", 0, wild.start() if wild else None)
        plain = pattern[: max(cut, 0)]
        if not pattern.startswith("/"):
            plain = f"{base}/{plain}"
        if name := self._name(plain or "/"):
            expression = f"{literal(name).rstrip('/')}/{pattern[cut + 1 :]}"
            self.globs.add(Glob(expression, recursive, directories, follow))

    def _name(self, path: str) -> str | None:
        """The path's name; what it cannot be reached without matters too."""
        if obstacle := self.places.spellings.place(path).obstacle:
            self.content(obstacle)
        return self.places.name(path)


def literal(name: str) -> str:
    """The glob that matches this name only."""
    return _WILD.sub(r"[\g<0>]", name)
