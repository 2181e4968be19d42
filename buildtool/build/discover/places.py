"""Which paths are inputs, and under which name: collected from all that tells of them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.build.disk import Disk
from buildtool.build.globs import Glob, matches
from buildtool.build.inputs import PathSet
from buildtool.build.roots import Roots
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
    of its own there: the toolchain, CMake's modules), and `made` files.
    """

    def __init__(
        self, tree: Path, roots: Roots, known: Collection[Path] = (), made: Collection[str] = ()
    ) -> None:
        self.roots = roots
        self.tree = os.path.normpath(tree)
        self.made = frozenset(made)
        skipped = [self.tree, *(os.path.normpath(place) for place in known)]
        if project := roots.places.get("project"):
            skipped.append(f"{os.path.normpath(project)}/{STATE}")
        real = [os.path.realpath(place) for place in skipped]
        self._skipped = tuple(f"{place}/" for place in dict.fromkeys([*skipped, *real]))
        self._real_roots = Roots({n: Path(os.path.realpath(p)) for n, p in roots.places.items()})
        self._tidied: dict[str, str] = {}

    def tidy(self, path: str) -> str:
        """The path without `.` and `..`; through a link, `..` leads to where the system goes."""
        directory, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            directory, name = path, ""
        known = self._tidied.get(directory)
        if known is None:
            known = os.path.normpath(directory or "/").removeprefix("/")
            known = f"/{known}" if known else ""
            if ".." in directory and os.path.realpath(directory) != os.path.realpath(known or "/"):
                known = os.path.realpath(directory).rstrip("/")
            self._tidied[directory] = known
        return f"{known}/{name}" if name else known or "/"

    def name(self, path: str) -> str | None:
        """The name by root of an absolute path; None when it is no input."""
        path = self.tidy(path)
        if f"{path}/".startswith(self._skipped) or path in self.made:
            return None
        name = self.roots.named(path)
        if name[0] == "/":  # a compiler may have followed the link that leads to the project
            directory, _, last = path.rpartition("/")
            real = f"{os.path.realpath(directory or '/').rstrip('/')}/{last}"
            if f"{real}/".startswith(self._skipped):
                return None
            other = self._real_roots.named(real)
            return other if other[0] != "/" else name
        return name


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
        if name := self.places.name(path):
            self.files.add(name)

    def existence(self, path: str) -> None:
        """It matters whether there is something, not what is in it."""
        if not (name := self.places.name(path)):
            return
        path = self.places.roots.at(name)
        if os.path.isfile(path):  # noqa: PTH113
            self.globs.add(Glob(literal(name), directories=True))
        elif os.path.lexists(path):  # a directory, or a link to nothing: their state is what counts
            self.files.add(name)
        else:
            self.absent.add(name)

    def whole(self, path: str) -> None:
        """A file, or everything in a directory, matters."""
        if not os.path.isdir(path):  # noqa: PTH112
            self.content(path)
        elif name := self.places.name(path):
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
        if name := self.places.name(plain or "/"):
            expression = f"{literal(name).rstrip('/')}/{pattern[cut + 1 :]}"
            self.globs.add(Glob(expression, recursive, directories, follow))


def literal(name: str) -> str:
    """The glob that matches this name only."""
    return _WILD.sub(r"[\g<0>]", name)
