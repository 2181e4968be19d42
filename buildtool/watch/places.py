"""Where changes are looked for: the directories of what a target's steps read."""

from __future__ import annotations

import os
import re

from buildtool.inputs.globs import literal_base
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots
from buildtool.project.model import STATE

_NOT_ON_DISK = ("/proc", "/sys", "/dev")
_NOT_SOURCES = (".git", ".hg", ".svn", ".jj", STATE, "__pycache__")
_BACKUP = r".*~|\.#.*|#.*#|\..*\.sw[a-z]|4913|.*\.(tmp|orig|rej)"
"""Names of files that editors make while they save: backups, locks, vim's probe 4913."""


class WatchedPlaces:
    """Directories, each with the names in it that count, or None for all names of sources.

    Nothing below the directory `state` counts: there are the outputs of builds.
    """

    def __init__(self, state: str) -> None:
        self.names: dict[str, set[str] | None] = {}
        self._skipped = tuple(f"{place}/" for place in (state, *_NOT_ON_DISK))
        self._existing: dict[str, bool] = {}

    def counts(self, directory: str, name: str) -> bool:
        """Whether a change of the entry `name` of a directory ("": of itself) counts."""
        names = self.names.get(directory, ())
        return not name or (is_source(name) if names is None else name in names)

    def add_paths(self, paths: PathSet, roots: Roots) -> None:
        """Add the files that a step reads, and those that it searches for without finding them.

        Raises `RootError` for a root that this build does not have.
        """
        for name in (*paths.files, *paths.absent):
            self.add_file(roots.path_of(name))
        for glob in paths.globs:
            base = literal_base(glob)
            directory = roots.path_of(base) if base else ""
            deep = glob.recursive or glob.deep or "/" in glob.expression[len(base) + 1 :]
            if directory and deep:
                self.add_tree(directory)
            elif directory and os.path.isdir(directory):  # noqa: PTH112
                self._add_all(directory)

    def add_file(self, path: str) -> None:
        """A file; if its directory is missing, the first one above it that is not."""
        self._add_entry(path)
        if os.path.islink(path):  # noqa: PTH114 - as `FileStates`: many files
            self._add_entry(os.path.realpath(path))

    def add_tree(self, directory: str) -> list[str]:
        """A directory of sources, and those below it; returns them.

        Build trees and version control do not count, except for files that a step reads.
        """
        self.add_file(directory)
        found = []
        for folder, folders, names in os.walk(directory):
            if folder != directory and "CMakeCache.txt" in names:
                folders.clear()
                continue
            folders[:] = [name for name in folders if name not in _NOT_SOURCES]
            if self._add_all(folder):
                found.append(folder)
        return found

    def _add_all(self, directory: str) -> bool:
        """Let all names in a directory count, if they can."""
        if f"{directory}/".startswith(self._skipped):
            return False
        self.names[directory] = None
        return True

    def _add_entry(self, path: str) -> None:
        directory, _, name = os.path.normpath(path).rpartition("/")
        if f"{directory}/".startswith(self._skipped):
            return
        while directory and not self._exists(directory):
            directory, _, name = directory.rpartition("/")
        names = self.names.setdefault(directory or "/", set())
        if names is not None:
            names.add(name)

    def _exists(self, directory: str) -> bool:
        if directory not in self._existing:
            self._existing[directory] = os.path.isdir(directory)  # noqa: PTH112
        return self._existing[directory]


def is_source(name: str) -> bool:
    """Whether an entry of a directory of sources can be one."""
    return name not in _NOT_SOURCES and not re.fullmatch(_BACKUP, name)
