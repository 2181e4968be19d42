"""Which paths of this machine a remote cache may make a build look at.

A path set from a server names the files to look at, and the key of the next request is a digest of
what was found there.  So a hostile server could name a private file and find out whether a guess of
its content is right.  Only paths that can be inputs of a step on every machine are accepted: those
in the project and the rest of its repository, in the directories of tools, and in those of the
system.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from buildtool.inputs.globs import Budget, literal_base
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots

MAX_BYTES = 2 << 30
"""The most bytes that the files in the path sets of one step may have together."""
MAX_ENTRIES = 1_000_000
"""The `Budget` of the path sets of one step."""
SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/sbin", "/usr")
"""Directories whose world-readable files may be read."""
MAX_LINK = 4096
"""The bytes of a `.git` that is a file which are read."""
LISTED = (*SYSTEM, "/etc")
"""Directories in which the existence of files may be checked."""
# The files that tell which commit is checked out; others in .git may hold credentials.
_COMMIT = re.compile(r"(?:.*/)?\.git(?:/HEAD|/index|/packed-refs|/refs/.*)?")


class ForeignPathError(Exception):
    """A path from a remote cache is not accepted; the message names it."""


class RemotePaths:
    """Checks the path sets of one step: `roots` are those of the step, `search` is `$PATH`."""

    def __init__(self, roots: Roots, search: str, budget: Budget) -> None:
        self._roots = roots
        self._budget = budget
        self._own = _directories((*roots.directories.values(), *_repository(roots)))
        self._system, self._listed = _directories(SYSTEM), _directories(LISTED)
        programs = [place.rstrip("/") for place in search.split(":") if place.startswith("/")]
        # find_package() searches the parent directories of bin directories.
        bins = [place for place in programs if place.endswith(("/bin", "/sbin"))]
        prefixes = [place.rpartition("/")[0] for place in bins]
        self._programs = _without_home(_directories(programs))
        self._listed += (*self._own, *self._programs, *_without_home(_directories(prefixes)))
        self._real: dict[str, str | None] = {}
        self._counted: set[str] = set()
        self._bytes = 0

    def check(self, paths: PathSet) -> None:
        """Raise `ForeignPathError` unless all of `paths` are accepted; also raises `RootError` and
        `BudgetError`."""
        for name in paths.absent:
            self._check_listed(name, self._plain(name))
        for glob in paths.globs:
            self._plain(glob.expression)
            base = self._roots.path_of(literal_base(glob) or "/")
            self._check_listed(glob.expression, f"{base}/x")
        for name in paths.files:
            self._check_file(name, self._plain(name))

    def _plain(self, name: str) -> str:
        """The path of `name`.  It may hold `..` after a link, which is resolved with the link."""
        self._budget.spend(1)
        path = self._roots.path_of(name)
        parts = path.split("/")[1:]
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            parts = []
        if not parts or {"", "."}.intersection(parts) or parts[-1] == "..":
            raise ForeignPathError(f"{name!r}, which is not the plain form of a path")
        return path

    def _check_listed(self, name: str, path: str) -> None:
        if not f"{self._parent(path)}{_leaf(path)}/".startswith(self._listed):
            raise ForeignPathError(
                f"{name!r}, which is in no directory of the project, of a tool or of the system"
            )

    def _check_file(self, name: str, path: str) -> None:
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                status, path = os.stat(path), os.path.realpath(path)  # noqa: PTH116
        except (OSError, ValueError):
            return self._check_listed(name, path)  # there is nothing to read
        self._check_listed(name, path)
        if not stat.S_ISREG(status.st_mode):
            return None
        parent = self._parent(path)
        own = max((place for place in self._own if parent.startswith(place)), key=len, default="")
        rest = f"/{parent.removeprefix(own)}{_leaf(path)}"
        if own and "/." in rest and not _COMMIT.fullmatch(rest):
            raise ForeignPathError(f"the hidden file {name!r}")
        if not own and not (
            status.st_mode & 0o004 and (parent.startswith(self._system) or parent in self._programs)
        ):
            raise ForeignPathError(f"{name!r}, a file that it cannot ask for the content of")
        if path not in self._counted:
            self._counted.add(path)
            self._bytes += status.st_size
        if self._bytes > MAX_BYTES:
            raise ForeignPathError(f"files of more than {MAX_BYTES:,} bytes")
        return None

    def _parent(self, path: str) -> str:
        """The directory of `path` with links resolved, and a slash at its end."""
        real = prefix = ""
        for name in path.split("/")[1:-1]:
            prefix += f"/{name}"
            if prefix not in self._real:
                self._real[prefix] = self._resolved(real, name)
            known = self._real[prefix]
            if known is None:
                return f"{real}/{name}/"  # a missing directory holds nothing
            real = known
        return f"{real}/"

    def _resolved(self, directory: str, name: str) -> str | None:
        """The path of `name` in `directory`, which has no links, with links resolved; None for a
        missing one."""
        self._budget.spend(1)
        if name == "..":
            return directory.rpartition("/")[0]
        path = f"{directory}/{name}"
        try:
            link = stat.S_ISLNK(os.lstat(path).st_mode)
        except (OSError, ValueError):
            return None
        return os.path.realpath(path).rstrip("/") if link else path


def _repository(roots: Roots) -> tuple[str, ...]:
    """The directories above the project that belong to its repository, or to one that has this as
    a submodule; none if the home directory is in the repository."""
    found: list[str] = []
    places = [str(roots.directories["project"]), *roots.parents.values()]
    for level, place in enumerate(places):
        git = f"{place}/.git"
        if os.path.isdir(git) or os.path.isfile(git):  # noqa: PTH112, PTH113
            found = places[1 : level + 1]
            if os.path.isdir(git) or not _is_submodule(git):  # noqa: PTH112
                break
    return tuple(found) if len(_without_home(_directories(found))) == len(found) else ()


def _is_submodule(git: str) -> bool:
    """Whether the file `.git` is that of a submodule, not that of a linked worktree."""
    try:
        with open(git, "rb") as stream:  # noqa: PTH123
            return b"/modules/" in stream.read(MAX_LINK)
    except OSError:
        return False


def _leaf(path: str) -> str:
    return path.rpartition("/")[2]


def _without_home(directories: Iterable[str]) -> tuple[str, ...]:
    home = f"{os.path.realpath(os.path.expanduser('~'))}/"  # noqa: PTH111
    return tuple(place for place in directories if not home.startswith(place))


def _directories(places: Iterable[str | Path]) -> tuple[str, ...]:
    real = (os.path.realpath(place).rstrip("/") for place in places if place)
    return tuple(f"{place}/" for place in dict.fromkeys(real) if place)
