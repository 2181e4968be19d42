"""Headers that must not exist: a compiler would find them before the headers that it found.

A header that was found as `name` in one include directory is shadowed by `name` in each include
directory before that one; a header that was included with quotation marks is also shadowed by
`name` beside each file that may have included it.  No tool reports which file included which, nor
how the name was spelled.  So every possibility counts: absent files that do not matter cost little,
a missing one makes a build wrong.
"""

from __future__ import annotations

import os
import re
import stat
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from buildtool.drivers.cmake.file_api import BuildTree, CompileGroup
from buildtool.drivers.cmake.scan.path_filter import PathFilter
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import CLOCK_STEP

_TARGET = re.compile(r"CMakeFiles/([^/]+)\.dir/")
_INCLUDE_OPTIONS = ("-iquote", "-I", "-isystem", "-idirafter")  # in search order


class Shadows:
    """The paths at which headers would be found earlier, for each object of a tree.

    `headers` is what the compiler of each object read.
    """

    def __init__(
        self, tree: BuildTree, headers: Mapping[str, tuple[str, ...]], path_filter: PathFilter
    ) -> None:
        self._path_filter = path_filter
        self._directories: dict[str, str] = {}
        self._watched: dict[str, bool] = {}
        self._includes: dict[tuple[str, ...], dict[str, tuple[tuple[int, str], ...]]] = {}
        self._implicit = self._normalized(
            path for tool in tree.toolchains.values() for path in tool.implicit_includes
        )
        self._toolchain = tuple(f"{path}/".replace("//", "/") for path in self._implicit)
        self._by_source: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        for target in tree.targets:
            for group in target.groups:
                directories = self._normalized(_include_directories(group, tree))
                for source in group.sources:
                    self._by_source[self._file(str(source))].append((target.name, directories))
        self._headers = self._normalized_headers(headers)

    def absent(self, file_states: FileStates, since_ns: int) -> set[str]:
        """The shadowing paths that do not exist, or that appeared after `since_ns`, by root; each
        cut after its first missing directory."""
        names: set[str] = set()
        for directory, files in self._all_shadowing().items():
            missing = _first_missing(directory, file_states, since_ns)
            paths = (
                [missing]
                if missing
                else [_first_missing(f"{directory}/{f}", file_states, since_ns) for f in files]
            )
            for path in dict.fromkeys(paths):
                if path and (name := self._path_filter.name(path)) is not None:
                    names.add(name)
        return names

    def objects(self, appeared: Collection[str]) -> tuple[str, ...]:
        """The objects whose compiler would now find one of the paths `appeared`, or a file below
        one of them."""
        return tuple(
            name
            for name in self._headers
            if any(
                _affects(path, directory, files)
                for directory, files in self._shadowing(name)
                for path in appeared
            )
        )

    def _all_shadowing(self) -> dict[str, set[str]]:
        """Directory → files below it that would shadow a header, of all objects together."""
        total: dict[str, set[str]] = defaultdict(set)
        for name in self._headers:
            for directory, files in self._shadowing(name):
                total[directory] |= files
        return total

    def _shadowing(self, name: str) -> Iterator[tuple[str, set[str]]]:
        """For the object `name`: directories, and files below each that would shadow a header."""
        headers = self._headers[name]
        parents = dict.fromkeys(header.rpartition("/")[0] for header in headers)
        watched_parents = [parent for parent in parents if self._is_watched(parent)]
        for searched in self._search_paths(name, headers):
            found_at = self._found_at(headers, searched)
            later: set[str] = set()
            for index in range(len(searched), -1, -1):
                if index < len(searched) and self._is_watched(searched[index]) and later:
                    yield searched[index], set(later)
                later |= found_at.get(index, set())
            for parent in watched_parents:
                yield parent, later

    def _found_at(
        self, headers: tuple[str, ...], searched: tuple[str, ...]
    ) -> Mapping[int, set[str]]:
        """Index in `searched` → names by which headers may have been found there."""
        includes = self._includes.setdefault(searched, {})
        found_at: dict[int, set[str]] = defaultdict(set)
        for header in headers:
            possible = includes.get(header)
            if possible is None:
                possible = includes[header] = tuple(_possible_includes(header, searched))
            for index, name in possible:
                found_at[index].add(name)
        return found_at

    def _search_paths(self, name: str, headers: tuple[str, ...]) -> Collection[tuple[str, ...]]:
        """The lists of include directories that an object may have been compiled with."""
        match = _TARGET.search(name)
        rows = [row for file in headers[:4] for row in self._by_source.get(file, ())]
        of_target = [searched for target, searched in rows if match and target == match[1]]
        lists = of_target or [searched for _, searched in rows] or [()]
        return dict.fromkeys((*searched, *self._implicit) for searched in lists)

    def _is_watched(self, directory: str) -> bool:
        """Whether headers may appear in the directory: not in a build tree or a toolchain."""
        watched = self._watched.get(directory)
        if watched is None:
            name = self._path_filter.name(directory)
            watched = self._watched[directory] = name is not None and (
                name == "{project}"
                or name.startswith("{project}/")
                or (name[0] == "/" and not f"{directory}/".startswith(self._toolchain))
            )
        return watched

    def _normalized_headers(
        self, headers: Mapping[str, tuple[str, ...]]
    ) -> Mapping[str, tuple[str, ...]]:
        """`headers` with the one path that all spellings of a file share: `x/../a.h` and `a.h` may
        be found in the same directory."""
        every = {file for files in headers.values() for file in files}
        changed = {file: path for file in every if (path := self._file(file)) != file}
        if not changed:
            return headers
        return {
            name: tuple(changed.get(file, file) for file in files)
            for name, files in headers.items()
        }

    def _directory(self, path: str) -> str:
        directory = self._directories.get(path)
        if directory is None:
            directory = self._directories[path] = self._path_filter.directory(path)
        return directory

    def _normalized(self, directories: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self._directory, directories)))

    def _file(self, path: str) -> str:
        directory, _, name = path.rpartition("/")
        return f"{self._directory(directory or '/').rstrip('/')}/{name}"


def _include_directories(group: CompileGroup, tree: BuildTree) -> tuple[str, ...]:
    """The include directories of a compile command in search order."""
    rows: dict[str, list[str]] = {option: [] for option in _INCLUDE_OPTIONS}
    rows["-I"] += map(str, group.includes)
    rows["-isystem"] += map(str, group.system_includes)
    words = iter(group.flags)
    for word in words:
        for option in _INCLUDE_OPTIONS:
            if word.startswith(option):
                path = word[len(option) :] or next(words, "")
                rows[option].append(path if path.startswith("/") else f"{tree.build}/{path}")
                break
    return tuple(dict.fromkeys(path for option in _INCLUDE_OPTIONS for path in rows[option]))


def _possible_includes(header: str, searched: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Indexes of the directories in which a header may have been found, each with the name that it
    has there."""
    is_below_searched = False
    for index, directory in enumerate(searched):
        prefix = directory.rstrip("/") + "/"
        if header.startswith(prefix):
            is_below_searched = True
            yield index, header[len(prefix) :]
    if not is_below_searched:  # a built-in directory of the compiler that CMake does not report
        _, include, name = header.rpartition("/include/")
        if include:
            yield len(searched), name
        yield len(searched), header.rpartition("/")[2]


def _first_missing(path: str, file_states: FileStates, since_ns: int) -> str:
    """An absolute path up to its first part that did not exist at `since_ns`; "" if all of it
    did."""
    parts = path.split("/")
    for end in range(len(parts) - 1, 0, -1):  # usually only the last part is missing
        if file_states.entries("/".join(parts[:end]) or "/") is not None:
            partial = "/".join(parts[: end + 1])
            return "" if _existed(partial, file_states, since_ns) else partial
    return path


def _existed(path: str, file_states: FileStates, since_ns: int) -> bool:
    """Whether the path existed at `since_ns`; a directory counts whenever it exists now, because
    its ctime changes with each of its entries."""
    if not file_states.exists(path):
        return False
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) or status.st_ctime_ns < since_ns - CLOCK_STEP


def _affects(path: str, directory: str, files: Iterable[str]) -> bool:
    """Whether `path` is one of `files` below `directory`, or a directory above one of them."""
    if path == directory or directory.startswith(f"{path}/"):
        return True
    if not path.startswith(f"{directory}/"):
        return False
    name = path[len(directory) + 1 :]
    return name in files or any(file.startswith(f"{name}/") for file in files)
