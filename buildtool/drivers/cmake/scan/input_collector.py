"""Collects inputs as the scanners find them: files, absent paths and globs."""

from __future__ import annotations

import os
import re

from buildtool.drivers.cmake.scan.path_filter import PathFilter
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob, matches
from buildtool.inputs.path_sets import PathSet

_WILDCARD = re.compile(r"[*?\[]")


class InputCollector:
    """The inputs that were found so far, by root; `paths` are all of them.

    Paths that `path_filter` does not take for inputs are dropped.
    """

    def __init__(self, path_filter: PathFilter, file_states: FileStates) -> None:
        self.path_filter = path_filter
        self.file_states = file_states
        self.files: set[str] = set()
        self.absent: set[str] = set()
        self.globs: set[Glob] = set()

    @property
    def paths(self) -> PathSet:
        return PathSet.of(self.files, self.absent, self.globs)

    def add_content(self, path: str) -> None:
        """The content of a file was read."""
        if name := self._name(path):
            self.files.add(name)

    def add_existence(self, path: str) -> None:
        """It was tested whether a file exists; its content was not read."""
        if not (name := self._name(path)):
            return
        path = self.path_filter.roots.path_of(name)
        if os.path.isfile(path):  # noqa: PTH113
            self.globs.add(Glob(escape_glob(name)))
        elif os.path.lexists(path):  # the state of a directory or dangling symlink says it all
            self.files.add(name)
        else:
            self.absent.add(name)

    def add_tree(self, path: str) -> None:
        """A file, or everything in a directory, was read."""
        if not os.path.isdir(path):  # noqa: PTH112
            self.add_content(path)
        elif name := self._name(path):
            self.add_matches(Glob(f"{escape_glob(name)}/**", deep=True))

    def add_matches(self, glob: Glob) -> None:
        """The list of files that a glob matches was read, and the content of each."""
        self.globs.add(glob)
        self.files.update(matches(glob, self.path_filter.roots, self.file_states))

    def add_listing(
        self,
        pattern: str,
        base: str = "",
        *,
        recursive: bool = False,
        directories: bool = True,
        follow: bool = False,
    ) -> None:
        """The list of files that a glob of CMake matches was read; a relative `pattern` starts at
        `base`.  The flags are those of `Glob`."""
        wildcard = _WILDCARD.search(pattern)
        cut = pattern.rfind("/", 0, wildcard.start() if wildcard else None)
        directory = pattern[: max(cut, 0)]
        if not pattern.startswith("/"):
            directory = f"{base}/{directory}"
        if name := self._name(directory or "/"):
            expression = f"{escape_glob(name).rstrip('/')}/{pattern[cut + 1 :]}"
            self.globs.add(Glob(expression, recursive, directories, follow))

    def _name(self, path: str) -> str | None:
        """The name of the path; a directory that it depends on and that is missing is added."""
        if missing := self.path_filter.normalizer.normalize(path).missing_directory:
            self.add_content(missing)
        return self.path_filter.name(path)


def escape_glob(name: str) -> str:
    """The glob that matches this name only."""
    return _WILDCARD.sub(r"[\g<0>]", name)
