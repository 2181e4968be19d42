"""File globs as CMake reads them, and as the project file does, answered from a `FileStates`.

Source: the reference of CMake's file(GLOB), and its behaviour where that is silent: a pattern
holds for one component; GLOB_RECURSE compares the last one with names at any depth, does not
follow links to directories unless told to, takes such a link for a file, and with
LIST_DIRECTORIES lists every directory whether it matches or not.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from typing import Any

from buildtool.core.value import Value
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.roots import Roots
from buildtool.project.model import STATE

MAX_DEPTH = 256
_WILD = r"(?<!\\)[*?\[]"
_SPECIAL = r"[*?\[]"
_LITERAL = r"\[([*?\[])\]"  # as `literal` writes a character that has a meaning


class Glob(Value):
    """`expression` is absolute, its beginning a root's name: `{project}/src/*.c`.

    `recursive`: GLOB_RECURSE.  `directories`: LIST_DIRECTORIES.  `follow`: FOLLOW_SYMLINKS.
    `deep`: the project file's own rule, in which `**` stands for any number of directories.
    """

    expression: str
    recursive: bool = False
    directories: bool = False
    follow: bool = False
    deep: bool = False

    @property
    def text(self) -> str:
        """The glob as people know it, different for different globs."""
        words = ["inputs" if self.deep else "GLOB_RECURSE" if self.recursive else "GLOB"]
        words += ["FOLLOW_SYMLINKS"] if self.follow else []
        words += ["LIST_DIRECTORIES"] if self.directories else []
        return " ".join([*words, self.expression])

    def as_json(self) -> list[Any]:
        return [self.expression, self.recursive, self.directories, self.follow, self.deep]

    @staticmethod
    def from_json(data: Any) -> Glob:
        """Raises `ValueError` for anything that `as_json` does not make."""
        match data:
            case [str(expression), *flags] if len(flags) == 4 and all(
                type(flag) is bool for flag in flags
            ):
                return Glob(expression, *flags)
        raise ValueError("no glob")


class BudgetError(Exception):
    """More was looked at than may be."""


class Budget:
    """How much may still be looked at by those that share it: directory entries, for the most part.

    A character of a pattern counts as ten: to compile it takes as long.
    """

    def __init__(self, entries: int) -> None:
        self.entries = entries

    def spend(self, entries: int) -> None:
        """Raises `BudgetError` when it is used up."""
        self.entries -= entries
        if self.entries < 0:
            raise BudgetError


def matches(
    glob: Glob, roots: Roots, file_states: FileStates, budget: Budget | None = None
) -> tuple[str, ...]:
    """What a glob matches, by root, sorted; nothing of what this tool keeps in the project.

    Raises `RootError` when it begins with a root that there is not, and `BudgetError`.
    """
    if budget:
        budget.spend(10 * len(glob.expression))
    base = literal_base(glob)
    parts = tuple(part for part in glob.expression[len(base) :].split("/") if part)
    if glob.deep:  # `**/**` is `**`, and takes far longer
        parts = tuple(
            p for before, p in zip(("", *parts), parts, strict=False) if p != before or p != "**"
        )
    place = roots.at(base or "/").rstrip("/")
    project = roots.places.get("project")
    state = f"{os.path.normpath(project)}/{STATE}" if project else "\0"
    if not parts or f"{place}/".startswith(f"{state}/"):
        return ()
    walk = _Walk(glob, file_states, state, [], budget)
    walk.level(place, parts)
    shift = len(place)
    return tuple(sorted({base + path[shift:] for path in walk.found}))


def literal_base(glob: Glob) -> str:
    """The directory that the walk begins in, by root; "" for the file system's.

    It is looked up, not compared, so that it may hold `..`.
    """
    wild = re.search(_WILD, glob.expression)
    cut = glob.expression.rfind("/", 0, wild.start() if wild else None)
    return glob.expression[: max(cut, 0)]


class _Walk(Value):
    glob: Glob
    file_states: FileStates
    state: str
    found: list[str]
    budget: Budget | None

    def level(self, place: str, parts: tuple[str, ...]) -> None:
        """Find what the remaining parts of the pattern match below `place`."""
        last = len(parts) == 1
        if self.glob.deep and parts[0] == "**":
            self.anywhere(place, parts[1:] or ("*",), 0)
        elif last and self.glob.recursive:
            self.below(place, parts[0], ())
        else:
            kinds = (True,) if not last else (True, False) if self.glob.directories else (False,)
            for name, directory in self.called(place, parts[0]):
                if directory in kinds:
                    if last:
                        self.found.append(f"{place}/{name}")
                    else:
                        self.level(f"{place}/{name}", parts[1:])

    def below(self, place: str, part: str, links: tuple[str, ...]) -> None:
        """Find what GLOB_RECURSE does below `place`; `links` are where links were followed."""
        matches = _matcher(part)
        for name, directory in self.inside(place):
            path = f"{place}/{name}"
            link = directory and os.path.islink(path)  # noqa: PTH114
            if not directory or (link and not self.glob.follow):
                if matches(_bytes(name)):
                    self.found.append(path)
                continue
            seen = links
            if link:
                here = os.path.realpath(place)
                if here in links:
                    continue  # a link that leads around in a circle
                seen = (*links, here)
            if self.glob.directories:
                self.found.append(path)
            self.below(path, part, seen)

    def anywhere(self, place: str, parts: tuple[str, ...], depth: int) -> None:
        """Find what `**/parts` matches: `parts` here, and below every directory."""
        self.level(place, parts)
        for name, directory in self.inside(place):
            path = f"{place}/{name}"
            if directory and depth < MAX_DEPTH and not os.path.islink(path):  # noqa: PTH114
                self.anywhere(path, parts, depth + 1)

    def called(self, place: str, part: str) -> Iterator[tuple[str, bool]]:
        """What is in `place` and matches one component of a pattern."""
        if (only := _only_name(part)) is not None:  # to compare it with every name takes long
            if self.budget:
                self.budget.spend(1)
            directory = (self.file_states.entries(place or "/") or {}).get(only)
            if directory is not None and f"{place}/{only}" != self.state:
                yield only, directory
            return
        matches = _matcher(part)
        for name, directory in self.inside(place):
            if matches(_bytes(name)):
                yield name, directory

    def inside(self, place: str) -> Iterator[tuple[str, bool]]:
        entries = self.file_states.entries(place or "/") or {}
        if self.budget:
            self.budget.spend(1 + len(entries))
        for name, directory in entries.items():
            if name != STATE or f"{place}/{name}" != self.state:
                yield name, directory


def _only_name(part: str) -> str | None:
    """The one name that a component of a pattern matches; None when it may match others too."""
    name = re.sub(_LITERAL, r"\1", part)
    return None if re.search(_SPECIAL, re.sub(_LITERAL, "", part)) else name


@functools.cache
def _matcher(part: str) -> Any:
    """A function that says whether a name, as bytes, matches one component of a pattern."""
    try:
        return re.compile(_expression(_bytes(part)), re.DOTALL).fullmatch
    except (ValueError, re.error):
        return lambda _: None  # a range that runs backwards: CMake finds nothing either


def _bytes(name: str) -> bytes:
    return name.encode(errors="surrogateescape")  # a sixth of the time of os.fsencode


def _expression(part: bytes) -> bytes:
    between, at = [b""], 0  # the parts between asterisks
    while at < len(part):
        char = part[at : at + 1]
        at += 1
        if char == b"*":
            between.append(b"")
        elif char == b"?":
            between[-1] += b"."
        elif char == b"[" and (end := _bracket_end(part, at)) >= 0:
            between[-1] += _bracket(part[at:end])
            at = end + 1
        else:
            between[-1] += re.escape(char)
    first, *middle = between
    if not middle:
        return first
    last = middle.pop()
    # The earliest place of each part is as good as any other: to try those too may take forever.
    return first + b"".join(b"(?>.*?%b)" % part for part in middle if part) + b".*" + last


def _bracket_end(part: bytes, at: int) -> int:
    """Where the bracket ends whose inside begins at `at`; -1: nowhere, it is a plain character."""
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
                raise ValueError("a range that runs backwards")
            allowed.update(range(low, high + 1))
            at += 2
        else:
            allowed.add(inside[at])
            at += 1
    if not allowed:
        return b"." if negated else b"(?!)"
    return b"[" + (b"^" if negated else b"") + b"".join(b"\\x%02x" % c for c in allowed) + b"]"
