"""Files that must not exist: headers that a compiler would find before the ones it found.

A header that was found as `rel` in one include directory hides behind every `directory/rel` of
the directories before it; one that was written in quotation marks, behind `rel` beside each file
that may have included it.  Which file included which, and how it was spelled, no tool tells, so
every reading that fits counts: too many absent files cost little, a missing one a wrong build.
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
_SEARCHED = ("-iquote", "-I", "-isystem", "-idirafter")  # in the order they are searched


class Shadows:
    """Where headers would be found earlier, for each object of a tree."""

    def __init__(
        self, tree: BuildTree, headers: Mapping[str, tuple[str, ...]], path_filter: PathFilter
    ) -> None:
        self._places = path_filter
        self._directories: dict[str, str] = {}
        self._by_source: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        self._implicit = self._each(
            path for tool in tree.toolchains.values() for path in tool.implicit_includes
        )
        self._toolchain = tuple(f"{path}/".replace("//", "/") for path in self._implicit)
        for target in tree.targets:
            for group in target.groups:
                searched = self._each(_searched(group, tree))
                for source in group.sources:
                    self._by_source[self._file(str(source))].append((target.name, searched))
        self._own: dict[str, bool] = {}
        self._spellings: dict[tuple[str, ...], dict[str, tuple[tuple[int, str], ...]]] = {}
        # By where they are: `x/../a.h` and `a.h` may be found in the same directory.
        every = {file for files in headers.values() for file in files}
        other = {file: path for file in every if (path := self._file(file)) != file}
        if other:
            headers = {
                name: tuple(other.get(file, file) for file in files)
                for name, files in headers.items()
            }
        self._objects = headers

    def wanted(self) -> dict[str, set[str]]:
        """Directory → what would be found there too early, for all objects together."""
        sum_: dict[str, set[str]] = defaultdict(set)
        for name in self._objects:
            for directory, names in self._before(name):
                sum_[directory] |= names
        return sum_

    def absent(self, file_states: FileStates, since: int) -> set[str]:
        """The absent paths, each cut to the first directory that is missing, by root; with those
        that have come to be `since` then (ns)."""
        out: set[str] = set()
        for directory, names in self.wanted().items():
            missing = _missing(directory, file_states, since)
            paths = (
                [missing]
                if missing
                else [_missing(f"{directory}/{n}", file_states, since) for n in names]
            )
            out.update(
                name
                for path in dict.fromkeys(paths)
                if path and (name := self._places.name(path)) is not None
            )
        return out

    def objects(self, appeared: Collection[str]) -> tuple[str, ...]:
        """The objects whose compiler would find one of these files, or one below these."""
        found = []
        for name in self._objects:
            if any(
                _reaches(directory, names, path)
                for path in appeared
                for directory, names in self._before(name)
            ):
                found.append(name)
        return tuple(found)

    def _before(self, name: str) -> Iterator[tuple[str, set[str]]]:
        files = self._objects[name]
        own_directories: dict[str, None] = {}
        for file in files:
            directory = file.rpartition("/")[0]
            if self._is_own(directory):
                own_directories[directory] = None
        for searched in self._lists(name, files):
            spelled = self._spellings.setdefault(searched, {})
            by_place: dict[int, set[str]] = defaultdict(set)
            for file in files:
                readings = spelled.get(file)
                if readings is None:
                    readings = spelled[file] = tuple(_readings(file, searched))
                for place, rel in readings:
                    by_place[place].add(rel)
            later: set[str] = set()
            for place in range(len(searched), -1, -1):
                if place < len(searched) and self._is_own(searched[place]) and later:
                    yield searched[place], set(later)
                later |= by_place.get(place, set())
            for directory in own_directories:
                yield directory, later

    def _lists(self, name: str, files: tuple[str, ...]) -> Collection[tuple[str, ...]]:
        """The include directories that an object may have been compiled with."""
        match = _TARGET.search(name)
        rows = [row for file in files[:4] for row in self._by_source.get(file, ())]
        mine = [searched for target, searched in rows if match and target == match[1]]
        lists = mine or [searched for _, searched in rows] or [()]
        return dict.fromkeys((*searched, *self._implicit) for searched in lists)

    def _is_own(self, directory: str) -> bool:
        """Whether headers may come to lie there: not in the build tree, nor in a toolchain."""
        known = self._own.get(directory)
        if known is None:
            name = self._places.name(directory)
            known = self._own[directory] = name is not None and (
                name == "{project}"
                or name.startswith("{project}/")
                or (name[0] == "/" and not f"{directory}/".startswith(self._toolchain))
            )
        return known

    def _directory(self, path: str) -> str:
        known = self._directories.get(path)
        if known is None:
            known = self._directories[path] = self._places.directory(path)
        return known

    def _each(self, directories: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self._directory, directories)))

    def _file(self, path: str) -> str:
        directory, _, name = path.rpartition("/")
        return f"{self._directory(directory or '/').rstrip('/')}/{name}"


def _searched(group: CompileGroup, tree: BuildTree) -> tuple[str, ...]:
    """The directories of a compile command in the order in which they are searched."""
    rows: dict[str, list[str]] = {flag: [] for flag in _SEARCHED}
    rows["-I"] += map(str, group.includes)
    rows["-isystem"] += map(str, group.system_includes)
    words = iter(group.flags)
    for word in words:
        for flag in _SEARCHED:
            if word.startswith(flag):
                place = word[len(flag) :] or next(words, "")
                rows[flag].append(place if place.startswith("/") else f"{tree.build}/{place}")
                break
    return tuple(dict.fromkeys(path for flag in _SEARCHED for path in rows[flag]))


def _readings(file: str, searched: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """In which directories, by number, a file may have been found, and as what."""
    known = False
    for place, directory in enumerate(searched):
        prefix = directory.rstrip("/") + "/"
        if file.startswith(prefix):
            known = True
            yield place, file[len(prefix) :]
    if not known:  # a directory that the compiler has built in, and CMake does not know
        _, include, rel = file.rpartition("/include/")
        if include:
            yield len(searched), rel
        yield len(searched), file.rpartition("/")[2]


def _missing(path: str, file_states: FileStates, since: int) -> str:
    """The first part of an absolute path that is not there, or was not; "" when all of it was."""
    parts = path.split("/")
    for end in range(len(parts) - 1, 0, -1):  # from below: mostly only the last part is missing
        if file_states.entries("/".join(parts[:end]) or "/") is not None:
            there = "/".join(parts[: end + 1])
            return "" if _was_there(there, file_states, since) else there
    return path


def _was_there(path: str, file_states: FileStates, since: int) -> bool:
    """Whether there is something, and no file that came `since` then; a directory has a new time
    stamp whenever something in it has come or gone."""
    if not file_states.exists(path):
        return False
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) or status.st_ctime_ns < since - CLOCK_STEP


def _reaches(directory: str, names: Iterable[str], path: str) -> bool:
    if path == directory or directory.startswith(f"{path}/"):
        return True
    if not path.startswith(f"{directory}/"):
        return False
    rel = path[len(directory) + 1 :]
    return rel in names or any(name.startswith(f"{rel}/") for name in names)
