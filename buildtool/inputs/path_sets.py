"""What a step reads: which paths (`PathSet`), and what was found there (`InputSet`).

A path set says where to look, the same on every machine; an input set what there was to see.
All paths are by root: `{project}/src/a.c`.
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
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Budget, Glob, matches
from buildtool.inputs.roots import Roots

CLOCK_STEP = 10_000_000  # ns: the kernel's clock for time stamps goes in steps of up to 10 ms
UNKNOWN = "?"
"""In place of a `FileStates.state`: it is not known in which state the file was read."""
MAX_NAMES = 1 << 20
MAX_NAME = 4096  # PATH_MAX of Linux


class InputsError(BuildtoolError):
    """A list of inputs, from a record or a cache, is not what this tool writes."""

    code = "inputs"


class PathSet(Value):
    """Where to look: `files` whose content matters (a file may be missing, or be a directory),
    `absent` paths of which it matters that nothing is there, and `globs`.  All sorted, once each.
    """

    files: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    globs: tuple[Glob, ...] = ()

    @staticmethod
    def of(
        files: Iterable[str] = (), absent: Iterable[str] = (), globs: Iterable[Glob] = ()
    ) -> PathSet:
        """The set in order; a path whose content matters is not `absent` besides."""
        looked_at = set(files)
        return PathSet(
            tuple(sorted(looked_at)),
            tuple(sorted(set(absent) - looked_at)),
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
        """Whether the change is one at a place of this set."""
        if change.kind == "glob":
            return any(glob.text in (change.old, change.new) for glob in self.globs)
        return change.path in self._paths

    @property
    def has_links(self) -> bool:
        """Whether links decide where some of it is: `{project}/link/../a.h`."""
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
        """Raises `InputsError` for anything that `as_json` does not make."""
        try:
            globs = tuple(Glob.from_json(row) for row in _list(data["globs"]))
            _names([glob.expression for glob in globs], ordered=False)
            if list(globs) != sorted(set(globs)):
                raise ValueError("globs out of order")
            return PathSet(_names(data["files"]), _names(data["absent"]), globs)
        except (KeyError, TypeError, ValueError) as error:
            raise _bad(error) from error


class InputSet(Value):
    """What there was to see: of each file of `paths.files` its `FileStates.state`, the paths of
    `paths.absent` that are there after all, and what each glob matches, by `Glob.text`."""

    paths: PathSet
    digests: Mapping[str, str]
    appeared: tuple[str, ...]
    found: Mapping[str, tuple[str, ...]]

    @cached_property
    def digest(self) -> str:
        return value_digest(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """`PathSet.as_json`, and beside it columns in the order of its files and globs."""
        return {
            **self.paths.as_json(),
            "digests": [self.digests[name] for name in self.paths.files],
            "appeared": list(self.appeared),
            "found": [list(self.found[glob.text]) for glob in self.paths.globs],
        }

    @staticmethod
    def from_json(data: Any) -> InputSet:
        """Raises `InputsError` for anything that `as_json` does not make."""
        paths = PathSet.from_json(data)
        try:
            digests, found = _list(data["digests"]), _list(data["found"])
            if len(digests) != len(paths.files) or len(found) != len(paths.globs):
                raise ValueError("columns of different lengths")
            if not all(type(digest) is str for digest in digests):
                raise ValueError("a digest that is no text")
            return InputSet(
                paths,
                dict(zip(paths.files, digests, strict=True)),
                _names(data["appeared"]),
                {glob.text: _names(names) for glob, names in zip(paths.globs, found, strict=True)},
            )
        except (KeyError, TypeError, ValueError) as error:
            raise _bad(error) from error


class Change(Value):
    """One difference between two input sets.

    `kind` is `changed`, `appeared` or `vanished` (`old` and `new` are the `FileStates.state`, ""
    for nothing), or `glob` (a path that a glob matches now, or no more: the glob is `new` or
    `old`).
    """

    kind: str
    path: str
    old: str
    new: str


def observe(
    paths: PathSet, roots: Roots, file_states: FileStates, budget: Budget | None = None
) -> InputSet:
    """Look at everything that `paths` names; its globs share the `budget`.

    Raises `RootError` when it names a root that this build does not have, and `BudgetError`.
    """
    at = roots.at
    states = file_states.states([at(name) for name in paths.files])
    return InputSet(
        paths,
        dict(zip(paths.files, states, strict=True)),
        tuple(name for name in paths.absent if file_states.exists(at(name))),
        {glob.text: matches(glob, roots, file_states, budget) for glob in paths.globs},
    )


def changes(before: InputSet, now: InputSet) -> tuple[Change, ...]:
    """What differs, of what both looked at; in the order of files, absences, globs."""
    rows = []
    if before.digests != now.digests:
        for name, old in before.digests.items():
            new = now.digests.get(name, old)
            if new != old:
                kind = "appeared" if not old else "vanished" if not new else "changed"
                rows.append(Change(kind, name, old, new))
    looked_at = set(before.paths.absent) & set(now.paths.absent)
    there, gone = set(now.appeared), set(before.appeared)
    rows += [Change("appeared", n, "", "present") for n in sorted((there - gone) & looked_at)]
    rows += [Change("vanished", n, "present", "") for n in sorted((gone - there) & looked_at)]
    for text, old_names in before.found.items():
        new_names = now.found.get(text, old_names)
        if new_names != old_names:
            rows += [Change("glob", n, "", text) for n in sorted({*new_names} - {*old_names})]
            rows += [Change("glob", n, text, "") for n in sorted({*old_names} - {*new_names})]
    return tuple(rows)


def changed_since(paths: PathSet, roots: Roots, moment_ns: int) -> tuple[str, ...]:
    """The files that were written, or whose name or mode was changed, since `moment_ns` (of
    `time.time_ns()`): what a build that began then may have read half old, half new."""
    moment_ns -= CLOCK_STEP
    late = []
    for name in paths.files:
        try:
            status = os.stat(roots.at(name))  # noqa: PTH116 - as `FileStates`: many files
        except (OSError, ValueError):
            continue
        # Whoever writes to a file sets both times; only that of change is sure to be the clock's.
        if status.st_ctime_ns >= moment_ns and os.path.isfile(roots.at(name)):  # noqa: PTH113
            late.append(name)
    return tuple(late)


def _bad(error: Exception) -> InputsError:
    return InputsError(
        "a list of inputs cannot be read",
        why=f"{type(error).__name__}: {error}",
        remedy="Clear the cache that it comes from: buildtool cache clear",
    )


def _list(data: Any) -> list[Any]:
    if type(data) is not list or len(data) > MAX_NAMES:
        raise ValueError("no list, or too long a one")
    return data


def _names(data: Any, *, ordered: bool = True) -> tuple[str, ...]:
    """Names of paths, in order and once each."""
    names = _list(data)
    for name in names:
        if type(name) is not str or name[:1] not in ("/", "{") or len(name) > MAX_NAME:
            raise ValueError(f"no path: {str(name)[:80]!r}")
        if "\0" in name:
            raise ValueError("a path with a zero byte")
    if ordered and any(a >= b for a, b in itertools.pairwise(names)):
        raise ValueError("paths out of order")
    return tuple(names)
