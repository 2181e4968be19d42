"""Watches the directories of what a target's steps read, until something changes there."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import selectors
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from buildtool.core.value import Value
from buildtool.engine.record import read_record, record_file
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob, literal_base
from buildtool.inputs.path_sets import InputSet, PathSet, changes, observe
from buildtool.inputs.roots import RootError, Roots, shown
from buildtool.plan.plan import Plan
from buildtool.project.model import STATE, Project
from buildtool.watch.polling import SECONDS, Inotify, Polling

QUIET = 0.01
"""Seconds without a change after which one or two files are seen as complete."""
QUIET_BURST = 0.15
"""Seconds without a change after which more files are seen as complete, since version control and
generators pause in between, and files that are missing or empty, since an editor may be about to
write them."""
LONGEST = 3.0
"""Seconds after which a burst of changes is not waited for any longer."""


class Watch:
    """Watches directories; a context manager.  `note` gets messages for the user."""

    def __init__(self, note: Callable[[str], object]) -> None:
        self._note = note
        self._places = WatchedPlaces("/")
        self._selector = selectors.EpollSelector()
        self._nudged = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._selector.register(self._nudged, selectors.EVENT_READ)
        self._source: Inotify | Polling
        try:
            self._source = Inotify()
        except (OSError, AttributeError) as error:
            self._source = self._polling(error)
        self._selector.register(self._source, selectors.EVENT_READ)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        self._source.close()
        os.close(self._nudged)

    def fileno(self) -> int:
        """A descriptor that can be read when something may have changed."""
        return self._selector.fileno()

    def nudge(self) -> None:
        """Let `fileno` be readable until the next call of `changed`."""
        os.eventfd_write(self._nudged, 1)

    def watch(self, places: WatchedPlaces) -> None:
        """Watch these places and no others."""
        self._places = places
        try:
            self._source.watch(places.names)
        except OSError as error:
            self._selector.unregister(self._source)
            self._source.close()
            self._source = self._polling(error)
            self._selector.register(self._source, selectors.EVENT_READ)
            self._source.watch(places.names)

    def is_ready(self) -> bool:
        """Whether `fileno` can be read."""
        return bool(self._selector.select(0))

    def wait(self) -> None:
        """Wait until `fileno` can be read."""
        self._selector.select()

    def changed(self) -> tuple[str, ...]:
        """The paths that have changed since the last call, when their burst has ended; () when
        nothing that counts has changed."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._nudged)
        found: dict[str, None] = {}
        deadline = time.monotonic() + LONGEST
        while True:
            found |= dict.fromkeys(sorted(self._read()))
            if not found or time.monotonic() > deadline:
                return tuple(found)
            few = len(found) < 3 and all(map(_has_content, found))
            if not self._selector.select(QUIET if few else QUIET_BURST):
                return tuple(found)

    def _read(self) -> set[str]:
        """The changed paths that count.  New directories of sources are watched from now on."""
        paths = set()
        for directory, name in self._source.read():
            if not self._places.counts(directory, name):
                continue
            path = f"{directory}/{name}" if name else directory
            paths.add(path)
            if name and self._places.names[directory] is None and os.path.isdir(path):  # noqa: PTH112
                self._places.add_tree(path)
                self.watch(self._places)
        return paths

    def _polling(self, error: Exception) -> Polling:
        number = error.errno if isinstance(error, OSError) else 0
        limit = {errno.ENOSPC: "watches", errno.EMFILE: "instances"}.get(number or 0)
        more = 512 if limit == "instances" else 524288
        self._note(
            f"the system's limit of inotify {limit} is reached: looking for changes every"
            f" {SECONDS:g} s instead\n  → Raise it: sudo sysctl fs.inotify.max_user_{limit}={more}"
            if limit
            else f"inotify cannot be used ({error}): looking for changes every {SECONDS:g} s"
        )
        return Polling()


def _has_content(path: str) -> bool:
    try:
        return os.stat(path).st_size > 0  # noqa: PTH116 - many files
    except OSError:
        return False


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


PROJECT = "{project}/"
Read = tuple[InputSet, Roots]
"""Inputs that were read, and the directories that their names begin with."""


class Inputs(Value):
    """The inputs of the project and of the steps of a target."""

    parts: tuple[Read, ...]
    late: tuple[str, ...]  # changed while a step was built, which may have read them before that

    def changed(self, file_states: FileStates) -> tuple[str, ...]:
        """The inputs that differ now: paths relative to the project, and absolute ones."""
        found: list[str] = []
        for inputs, roots in self.parts:
            rows = changes(inputs, observe(inputs.paths, roots, file_states))
            found += [_shown(row.path, roots) for row in rows]
        return tuple(dict.fromkeys(found))


def project_inputs(project: Project, files: Iterable[Path], file_states: FileStates) -> Read:
    """The inputs that belong to no step: the project file, other `files`, and large files."""
    roots = Roots({"project": project.root})
    patterns = [pattern for data in project.data.values() for pattern in data.files]
    globs = [Glob(PROJECT + pattern, deep=True) for pattern in patterns]
    names = [roots.name_of(path) for path in (project.root / "buildtool.toml", *files)]
    found = observe(PathSet.of(names, globs=globs), roots, file_states).found
    names += [name for matches in found.values() for name in matches]
    return observe(PathSet.of(names, globs=globs), roots, file_states), roots


def target_inputs(plan: Plan, project: Read) -> Inputs:
    """The inputs of the project, and those of the plan's steps at their last builds.

    Steps without a record are left out, and those whose records are of other tools.
    """
    parts, late = [project], []
    for step in plan.steps:
        record = read_record(record_file(plan.state, step))
        try:
            if record:
                for name in record.inputs.paths.files:
                    step.roots.path_of(name)
                parts.append((record.inputs, step.roots))
                late += [_shown(name, step.roots) for name in record.changed_during_build]
        except RootError:
            continue
    return Inputs(tuple(parts), tuple(late))


def places_of(plan: Plan, inputs: Inputs) -> WatchedPlaces:
    """Where changes of these inputs are seen, and other files in the plan's components."""
    places = WatchedPlaces(str(plan.state.parent))
    for read, roots in inputs.parts:
        places.add_paths(read.paths, roots)
    for step in plan.cmake_steps:
        places.add_tree(str(step.source))
    return places


def _shown(name: str, roots: Roots) -> str:
    if name.startswith(PROJECT) or roots.is_parent(name):
        return shown(name)
    return roots.path_of(name)
