"""Globs of CMake and of the project file, matched against a `FileView`.

Source: the reference of CMake's file(GLOB), and experiments.  A wildcard matches within one path
component.  GLOB_RECURSE matches the last component at any depth; it treats a symlink to a directory
as a file unless FOLLOW_SYMLINKS is set, and with LIST_DIRECTORIES it lists all directories, also
those that do not match.

Names are matched against one component of a glob, between two slashes.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from buildtool.core.value import Value
from buildtool.inputs.file_states import FileView
from buildtool.inputs.roots import Roots
from buildtool.project.model import STATE

MAX_DEPTH = 256
_WILDCARD = r"(?<!\\)[*?\[]"


class Glob(Value):
    """An absolute glob `expression` that starts with a root: `{project}/src/*.c`.

    `recursive`: GLOB_RECURSE.  `directories`: LIST_DIRECTORIES.  `follow`: FOLLOW_SYMLINKS.
    `deep`: a glob of the project file, in which `**` matches any number of directories.
    """

    expression: str
    recursive: bool = False
    directories: bool = False
    follow: bool = False
    deep: bool = False

    @property
    def text(self) -> str:
        """The glob as users write it; unique."""
        words = ["inputs" if self.deep else "GLOB_RECURSE" if self.recursive else "GLOB"]
        words += ["FOLLOW_SYMLINKS"] if self.follow else []
        words += ["LIST_DIRECTORIES"] if self.directories else []
        return " ".join([*words, self.expression])

    def as_json(self) -> list[Any]:
        return [self.expression, self.recursive, self.directories, self.follow, self.deep]

    @staticmethod
    def from_json(data: Any) -> Glob:
        """Raises `ValueError` for anything that `as_json` does not return."""
        match data:
            case [str(expression), *flags] if len(flags) == 4 and all(
                type(flag) is bool for flag in flags
            ):
                return Glob(expression, *flags)
        raise ValueError("not a glob")


class BudgetError(Exception):
    """A budget is exhausted."""


class Budget:
    """A limit on the directory entries that the globs which share it may look at.

    Each character of a pattern counts as ten entries: compiling it takes as long.
    """

    def __init__(self, entries: int) -> None:
        self.entries = entries

    def spend(self, entries: int) -> None:
        """Raises `BudgetError` if it is exhausted."""
        self.entries -= entries
        if self.entries < 0:
            raise BudgetError


def matches(
    glob: Glob, roots: Roots, files: FileView, budget: Budget | None = None
) -> tuple[str, ...]:
    """The names of the files that a glob matches, sorted; without this tool's own files.

    Raises `RootError` for a root that this build does not have, and `BudgetError`.
    """
    if budget:
        budget.spend(10 * len(glob.expression))
    base = literal_base(glob)
    parts = tuple(part for part in glob.expression[len(base) :].split("/") if part)
    if glob.deep:  # `**/**` is the same as `**`, and takes far longer
        parts = tuple(
            part
            for previous, part in zip(("", *parts), parts, strict=False)
            if (previous, part) != ("**", "**")
        )
    directory = roots.path_of(base or "/").rstrip("/")
    project = roots.directories.get("project")
    state = f"{os.path.normpath(project)}/{STATE}" if project else "\0"
    if not parts or f"{directory}/".startswith(f"{state}/"):
        return ()
    walk = _Walk(glob, files, state, [], budget)
    walk.match(directory, parts)
    return tuple(sorted({base + path[len(directory) :] for path in walk.found}))


def literal_base(glob: Glob) -> str:
    """The directory before the first wildcard, by root; "" for the root of the file system.

    The system resolves it, so it may contain `..`.
    """
    wildcard = re.search(_WILDCARD, glob.expression)
    cut = glob.expression.rfind("/", 0, wildcard.start() if wildcard else None)
    return glob.expression[: max(cut, 0)]


class _Walk(Value):
    """Collects in `found` what `glob` matches, except below the directory `state`."""

    glob: Glob
    files: FileView
    state: str
    found: list[str]
    budget: Budget | None

    def match(self, directory: str, parts: tuple[str, ...]) -> None:
        """Match the components `parts` below `directory`."""
        is_last = len(parts) == 1
        if self.glob.deep and parts[0] == "**":
            self.match_at_any_depth(directory, parts[1:] or ("*",), 0)
        elif is_last and self.glob.recursive:
            self.match_recursively(directory, parts[0], ())
        elif is_last:
            for name, is_directory in self.matching_entries(directory, parts[0]):
                if self.glob.directories or not is_directory:
                    self.found.append(f"{directory}/{name}")
        else:
            for name, is_directory in self.matching_entries(directory, parts[0]):
                if is_directory:
                    self.match(f"{directory}/{name}", parts[1:])

    def match_recursively(self, directory: str, part: str, followed: tuple[str, ...]) -> None:
        """GLOB_RECURSE: match the last component; `followed` are the directories of the symlinks
        that led here."""
        matches = name_matcher(part)
        for name, is_directory in self.entries(directory):
            path = f"{directory}/{name}"
            is_link = is_directory and self.files.link(path) != ""
            if not is_directory or (is_link and not self.glob.follow):
                if matches(encoded(name)):
                    self.found.append(path)
                continue
            seen = followed
            if is_link:
                real = os.path.realpath(directory)
                if real in followed:
                    continue  # a cycle of symlinks
                seen = (*followed, real)
            if self.glob.directories:
                self.found.append(path)
            self.match_recursively(path, part, seen)

    def match_at_any_depth(self, directory: str, parts: tuple[str, ...], depth: int) -> None:
        """Match `**/parts`: `parts` here, and below every directory."""
        self.match(directory, parts)
        for name, is_directory in self.entries(directory):
            path = f"{directory}/{name}"
            if is_directory and depth < MAX_DEPTH and not self.files.link(path):
                self.match_at_any_depth(path, parts, depth + 1)

    def matching_entries(self, directory: str, part: str) -> Iterator[tuple[str, bool]]:
        """The entries of `directory` that match one component."""
        if (only := only_name(part)) is not None:  # comparing it with every name is slow
            if self.budget:
                self.budget.spend(1)
            is_directory = (self.files.entries(directory or "/") or {}).get(only)
            if is_directory is not None and f"{directory}/{only}" != self.state:
                yield only, is_directory
            return
        matches = name_matcher(part)
        for name, is_directory in self.entries(directory):
            if matches(encoded(name)):
                yield name, is_directory

    def entries(self, directory: str) -> Iterator[tuple[str, bool]]:
        """Names, and whether each is a directory."""
        entries = self.files.entries(directory or "/") or {}
        if self.budget:
            self.budget.spend(1 + len(entries))
        for name, is_directory in entries.items():
            if name != STATE or f"{directory}/{name}" != self.state:
                yield name, is_directory


_SPECIAL = r"[*?\[]"
_LITERAL = r"\[([*?\[])\]"  # a special character that stands for itself


def only_name(part: str) -> str | None:
    """The only name that a component of a pattern matches; None if it may match several."""
    name = re.sub(_LITERAL, r"\1", part)
    return None if re.search(_SPECIAL, re.sub(_LITERAL, "", part)) else name


@functools.cache
def name_matcher(part: str) -> Callable[[bytes], object]:
    """A function that tests whether a name, as bytes, matches one component of a pattern."""
    try:
        return re.compile(_expression(encoded(part)), re.DOTALL).fullmatch
    except (ValueError, re.error):
        return lambda _: None  # a reversed range: CMake matches nothing either


def encoded(name: str) -> bytes:
    """The bytes of a name."""
    return name.encode(errors="surrogateescape")  # six times as fast as os.fsencode


def _expression(part: bytes) -> bytes:
    parts, at = [b""], 0  # between the asterisks
    while at < len(part):
        char = part[at : at + 1]
        at += 1
        if char == b"*":
            parts.append(b"")
        elif char == b"?":
            parts[-1] += b"."
        elif char == b"[" and (end := _bracket_end(part, at)) >= 0:
            parts[-1] += _bracket(part[at:end])
            at = end + 1
        else:
            parts[-1] += re.escape(char)
    first, *middle = parts
    if not middle:
        return first
    last = middle.pop()
    # If the earliest match of a part does not lead to a match of the whole, no later one does; to
    # try those too may take exponential time.
    return first + b"".join(b"(?>.*?%b)" % part for part in middle if part) + b".*" + last


def _bracket_end(part: bytes, at: int) -> int:
    """The end of the bracket expression whose content starts at `at`; -1 if it has no end, so that
    the bracket is a literal character."""
    if part[at : at + 1] in (b"!", b"^"):
        at += 1
    return part.find(b"]", at + 1 if part[at : at + 1] == b"]" else at)


def _bracket(inside: bytes) -> bytes:
    negated = inside[:1] in (b"!", b"^")
    inside = inside[1:] if negated else inside
    allowed: set[int] = set()
    at = 0
    while at < len(inside):
        if inside[at] == ord("-") and 0 < at < len(inside) - 1:
            low, high = inside[at - 1] + 1, inside[at + 1]
            if low > high + 1:
                raise ValueError("a reversed range")
            allowed.update(range(low, high + 1))
            at += 2
        else:
            allowed.add(inside[at])
            at += 1
    if not allowed:
        return b"." if negated else b"(?!)"
    return b"[" + (b"^" if negated else b"") + b"".join(b"\\x%02x" % c for c in allowed) + b"]"
