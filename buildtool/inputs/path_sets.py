"""The inputs of a step: which paths it reads (`PathSet`), and their state (`InputSet`).

A path set is the same on every machine, an input set depends on the files.  All paths are named by
root: `{project}/src/a.c`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import value_digest
from buildtool.core.value import Value
from buildtool.inputs.file_states import FileView
from buildtool.inputs.globs import Budget, Glob, matches
from buildtool.inputs.roots import Roots

UNKNOWN = "?"
"""In place of a `FileView.states`: it is unknown in which state the file was read."""
MAX_NAMES = 1 << 20
MAX_NAME = 4096  # PATH_MAX of Linux


class InputsError(BuildtoolError):
    """A list of inputs from a record or a cache is not as this tool writes it."""

    code = "inputs"


class PathSet(Value):
    """The paths that a step reads; each sorted and without duplicates.

    `files` are paths whose state matters (it may also be that of a missing file or a directory),
    `absent` paths that must not exist, `globs` patterns whose matches matter.
    """

    files: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    globs: tuple[Glob, ...] = ()

    @staticmethod
    def of(
        files: Iterable[str] = (), absent: Iterable[str] = (), globs: Iterable[Glob] = ()
    ) -> PathSet:
        """The set of these paths; one in `files` is not also in `absent`."""
        unique_files = set(files)
        return PathSet(
            tuple(sorted(unique_files)),
            tuple(sorted(set(absent) - unique_files)),
            tuple(sorted(set(globs))),
        )

    def __or__(self, other: PathSet) -> PathSet:
        return PathSet.of(
            (*self.files, *other.files),
            (*self.absent, *other.absent),
            (*self.globs, *other.globs),
        )

    def __sub__(self, other: PathSet) -> PathSet:
        return PathSet.of(
            set(self.files) - set(other.files),
            set(self.absent) - set(other.absent),
            set(self.globs) - set(other.globs),
        )

    def covers(self, change: Change) -> bool:
        """Whether the change is one of a path or glob in this set."""
        if change.kind == "glob":
            return any(glob.text in (change.old, change.new) for glob in self.globs)
        return change.path in self._paths

    @property
    def has_links(self) -> bool:
        """Whether symlinks determine which files some paths name: `{project}/link/../a.h`."""
        return any("/../" in name for name in itertools.chain(self.files, self.absent))

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(self.files).union(self.absent)

    @cached_property
    def digest(self) -> str:
        return value_digest(self.as_json())

    def as_json(self) -> dict[str, Any]:
        return {
            "files": list(self.files),
            "absent": list(self.absent),
            "globs": [glob.as_json() for glob in self.globs],
        }

    @staticmethod
    def from_json(data: Any) -> PathSet:
        """Raises `InputsError` for anything that `as_json` does not return."""
        try:
            globs = tuple(Glob.from_json(row) for row in _list(data["globs"]))
            _names([glob.expression for glob in globs], ordered=False)
            if list(globs) != sorted(set(globs)):
                raise ValueError("unsorted globs")
            return PathSet(_names(data["files"]), _names(data["absent"]), globs)
        except (KeyError, TypeError, ValueError) as error:
            raise _unreadable(error) from error


class InputSet(Value):
    """The state of the paths in a path set: the `FileView.states` of each of its files, those of
    its absent paths that exist, and the matches of each glob by `Glob.text`."""

    paths: PathSet
    digests: Mapping[str, str]
    appeared: tuple[str, ...]
    found: Mapping[str, tuple[str, ...]]

    def outside(self, directories: Iterable[str]) -> InputSet:
        """The inputs that are in none of `directories`, which are named by root."""
        inside = tuple(f"{name}/" for name in directories)
        if not inside:
            return self
        paths = PathSet(
            tuple(name for name in self.paths.files if not name.startswith(inside)),
            tuple(name for name in self.paths.absent if not name.startswith(inside)),
            tuple(g for g in self.paths.globs if not g.expression.startswith(inside)),
        )
        return InputSet(
            paths,
            {name: self.digests[name] for name in paths.files},
            tuple(name for name in self.appeared if not name.startswith(inside)),
            {glob.text: self.found[glob.text] for glob in paths.globs},
        )

    @cached_property
    def digest(self) -> str:
        return value_digest(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """`PathSet.as_json`, with additional columns in the order of its files and globs."""
        return {
            **self.paths.as_json(),
            "digests": [self.digests[name] for name in self.paths.files],
            "appeared": list(self.appeared),
            "found": [list(self.found[glob.text]) for glob in self.paths.globs],
        }

    @staticmethod
    def from_json(data: Any) -> InputSet:
        """Raises `InputsError` for anything that `as_json` does not return."""
        paths = PathSet.from_json(data)
        try:
            digests, found = _list(data["digests"]), _list(data["found"])
            if len(digests) != len(paths.files) or len(found) != len(paths.globs):
                raise ValueError("columns of different lengths")
            if not all(type(digest) is str for digest in digests):
                raise ValueError("a digest is not a string")
            return InputSet(
                paths,
                dict(zip(paths.files, digests, strict=True)),
                _names(data["appeared"]),
                {glob.text: _names(names) for glob, names in zip(paths.globs, found, strict=True)},
            )
        except (KeyError, TypeError, ValueError) as error:
            raise _unreadable(error) from error


class ReadInputs(Value):
    """The inputs that a build read.

    `changed_during_build` are the names of inputs that changed while the build ran, so that it is
    unknown which content it read; `uncertain` those of files that may not be the ones that it read.
    """

    inputs: InputSet
    changed_during_build: tuple[str, ...]
    uncertain: tuple[str, ...]


class Change(Value):
    """One difference between two input sets.

    `kind` is `changed`, `appeared` or `vanished`: `old` and `new` are the `FileView.states` of a
    file, or "present" and "" for an absent path.  Or it is `glob`: the glob `new` matches the path
    now, or `old` no longer does.
    """

    kind: str
    path: str
    old: str
    new: str


def observe(
    paths: PathSet, roots: Roots, files: FileView, budget: Budget | None = None
) -> InputSet:
    """The current state of `paths`; their globs share the `budget`.

    Raises `RootError` for a root that this build does not have, and `BudgetError`.
    """
    path_of = roots.path_of
    states = files.states([path_of(name) for name in paths.files])
    return InputSet(
        paths,
        dict(zip(paths.files, states, strict=True)),
        tuple(name for name in paths.absent if files.exists(path_of(name))),
        {glob.text: matches(glob, roots, files, budget) for glob in paths.globs},
    )


def changes(before: InputSet, now: InputSet) -> tuple[Change, ...]:
    """The differences of what both contain, in the order of files, absent paths, globs."""
    rows = []
    if before.digests != now.digests:
        for name, old in before.digests.items():
            new = now.digests.get(name, old)
            if new != old:
                kind = "appeared" if not old else "vanished" if not new else "changed"
                rows.append(Change(kind, name, old, new))
    absent = set(before.paths.absent) & set(now.paths.absent)
    present, was_present = set(now.appeared), set(before.appeared)
    appeared = (present - was_present) & absent
    vanished = (was_present - present) & absent
    rows += [Change("appeared", name, "", "present") for name in sorted(appeared)]
    rows += [Change("vanished", name, "present", "") for name in sorted(vanished)]
    for text, old_names in before.found.items():
        new_names = now.found.get(text, old_names)
        if new_names != old_names:
            rows += [Change("glob", n, "", text) for n in sorted({*new_names} - {*old_names})]
            rows += [Change("glob", n, text, "") for n in sorted({*old_names} - {*new_names})]
    return tuple(rows)


def changed_since(paths: PathSet, roots: Roots, moment_ns: int) -> tuple[str, ...]:
    """The files whose content, name or mode changed since `moment_ns` (of `time_between_changes`):
    a build that started then may have read them before or after that."""
    from buildtool.core.trees import is_in_shared_copy  # noqa: PLC0415 - only builds need it

    changed = []
    for name in paths.files:
        path = roots.path_of(name)
        try:
            status = os.stat(path)  # noqa: PTH116 - as `FileStates`: many files
        except (OSError, ValueError):
            continue
        # Programs can set the mtime, but not the ctime.
        if status.st_ctime_ns < moment_ns or not os.path.isfile(path):  # noqa: PTH113
            continue
        # A further hard link changes the ctime too: each new cache on the machine makes some.
        if status.st_mtime_ns >= moment_ns or not is_in_shared_copy(path):
            changed.append(name)
    return tuple(changed)


def _unreadable(error: Exception) -> InputsError:
    return InputsError(
        "a list of inputs cannot be read",
        why=f"{type(error).__name__}: {error}",
        remedy="Clear the cache that it comes from: buildtool cache clear",
    )


def _list(data: Any) -> list[Any]:
    if type(data) is not list or len(data) > MAX_NAMES:
        raise ValueError("not a list, or too long")
    return data


def _names(data: Any, *, ordered: bool = True) -> tuple[str, ...]:
    """Names of paths; sorted and unique if `ordered`."""
    names = _list(data)
    for name in names:
        if type(name) is not str or name[:1] not in ("/", "{") or len(name) > MAX_NAME:
            raise ValueError(f"invalid path {str(name)[:80]!r}")
        if "\0" in name:
            raise ValueError("a zero byte in a path")
    if ordered and any(a >= b for a, b in itertools.pairwise(names)):
        raise ValueError("unsorted paths")
    return tuple(names)
