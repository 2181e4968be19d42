"""Inputs as they are found: files, absent paths and globs, by the names that they have in a key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from buildtool.drivers.cmake.scan.path_filter import PathFilter
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob, matches
from buildtool.inputs.path_sets import PathSet

_WILD = re.compile(r"[*?\[]")


@dataclass(slots=True)
class InputCollector:
    """Paths as they are found; `paths` is the sum."""

    path_filter: PathFilter
    file_states: FileStates
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
        path = self.path_filter.roots.at(name)
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
        self.files.update(matches(glob, self.path_filter.roots, self.file_states))

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
        if obstacle := self.path_filter.spellings.place(path).obstacle:
            self.content(obstacle)
        return self.path_filter.name(path)


def literal(name: str) -> str:
    """The glob that matches this name only."""
    return _WILD.sub(r"[\g<0>]", name)
