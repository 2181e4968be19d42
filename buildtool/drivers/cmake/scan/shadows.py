"""Headers that must not appear: a compiler would find them before the headers that it found, or a
condition such as `__has_include` tests whether they exist.

A header that was found as `name` in one include directory is shadowed by `name` in each include
directory before that one; a header that was included with quotation marks is also shadowed by
`name` beside each file that may have included it.  No tool reports which file included which, nor
how the name was spelled.  So every possibility counts: absent files that do not matter cost little,
a missing one makes a build wrong.  A tested name counts in each directory that is searched, and
beside each file that was read.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from buildtool.drivers.cmake.file_api import BuildTree
from buildtool.drivers.cmake.scan.header_names import (
    ANY,
    embed_directories,
    find_tested_names,
    include_directories,
    macro_definitions,
)
from buildtool.drivers.cmake.scan.path_filter import InputCollector, PathFilter
from buildtool.inputs.file_states import FileStates

_TARGET = re.compile(r"CMakeFiles/([^/]+)\.dir/")
_MODULE_MAPS = frozenset(
    {"module.modulemap", "module.map", "module.private.modulemap", "module_private.map"}
)
"""The files that Clang looks for in each directory with `-fmodules`."""


class Shadows:
    """The paths at which headers would be found earlier, for each object of a tree.

    `headers` is what the compiler of each object read.
    """

    def __init__(
        self, tree: BuildTree, headers: Mapping[str, tuple[str, ...]], path_filter: PathFilter
    ) -> None:
        self._path_filter = path_filter
        self._directories: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._includes: dict[tuple[str, ...], dict[str, tuple[tuple[int, str], ...]]] = {}
        self._implicit = self._normalized(
            path for tool in tree.toolchains.values() for path in tool.implicit_includes
        )
        self._toolchain = tuple(f"{path}/".replace("//", "/") for path in self._implicit)
        self._by_source: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        definitions: dict[str, None] = {}
        self._module_maps: frozenset[str] = frozenset()
        for target in tree.targets:
            for group in target.groups:
                flags, build = group.flags, str(tree.build)
                includes = map(str, group.includes), map(str, group.system_includes)
                searched = [self._normalized(include_directories(flags, build, *includes))]
                if embedded := embed_directories(flags, build):
                    searched.append(self._normalized(embedded))
                for source in group.sources:
                    rows = self._by_source[self._file(str(source))]
                    rows += [(target.name, directories) for directories in searched]
                definitions |= dict.fromkeys((*group.defines, *macro_definitions(flags)))
                if any("-fmodules" in flag or "module-maps" in flag for flag in flags):
                    self._module_maps = _MODULE_MAPS
        # GCC reports the files of a system directory by their real paths if these are shorter.
        searched_by_any = {path for rows in self._by_source.values() for _, d in rows for path in d}
        self._links = {
            path: real for path in searched_by_any if (real := os.path.realpath(path)) != path
        }
        self._headers = self._normalized_headers(headers)
        every = {file for files in self._headers.values() for file in files}
        self._tests = find_tested_names(sorted(every), definitions)

    def add_to(self, found: InputCollector, since_ns: int) -> None:
        """Add to `found` the paths that must not appear, each cut after its first missing
        directory, and the tested ones that exist.  What appeared after `since_ns` counts as
        missing."""
        every = {file for files in self._headers.values() for file in files} if self._links else ()
        for directory, real in self._links.items():
            for file in every:
                if file.startswith(f"{real}/"):  # another target of the link has other files
                    found.add_content(directory + file[len(real) :])
        for directory, files in _merged(map(self._shadowing, self._headers)).items():
            for _, missing in _first_missing_of(directory, files, found.file_states, since_ns):
                self._add_absent(missing, found)
        for directory, files in _merged(map(self._tested, self._headers)).items():
            if ANY in files and self._is_watched(directory):
                found.add_listing("*", directory, recursive=True, directories=False)
            names = files - {ANY}
            for path, missing in _first_missing_of(directory, names, found.file_states, since_ns):
                if missing:
                    self._add_absent(missing, found)
                elif self._path_filter.name(path) not in found.files:  # GCC does not report it
                    found.add_existence(path)

    def _add_absent(self, path: str, found: InputCollector) -> None:
        if path and (name := self._path_filter.name(path)) is not None:
            found.absent.add(name)

    def _shadowing(self, name: str) -> Iterator[tuple[str, set[str]]]:
        """For the object `name`: directories, and files below each that would shadow a header."""
        headers = self._headers[name]
        parents = dict.fromkeys(header.rpartition("/")[0] for header in headers)
        watched_parents = [parent for parent in parents if self._is_watched(parent)]
        for searched in self._search_paths(name, headers):
            found_at = self._found_at(headers, searched)
            # From the last directory to the first: a name that was found at an index must appear in
            # none of the directories before it.  The index after the last one stands for built-in
            # directories of the compiler, so that those headers are shadowed by every directory.
            later: set[str] = set()
            for index in range(len(searched), -1, -1):
                if index < len(searched) and self._is_watched(searched[index]) and later:
                    yield searched[index], set(later)
                later |= found_at.get(index, set())
            # An include with quotation marks looks beside the including file first: whichever file
            # that was, all names count there.
            for parent in watched_parents:
                yield parent, later

    def _tested(self, name: str) -> Iterator[tuple[str, Collection[str]]]:
        """For the object `name`: directories, and files below each whose existence it tests; `ANY`
        is among them if it may test every file there."""
        headers = self._headers[name]
        tested = {n for file in headers if file in self._tests for n in self._tests[file]}
        if not (tested := tested | self._module_maps):
            return
        parents = (header.rpartition("/")[0] for header in headers)
        searched = itertools.chain(*self._search_paths(name, headers), parents)
        directories = [path for path in dict.fromkeys(searched) if self._name(path)]
        elsewhere = {n for n in tested if n[:1] == "/" or ".." in n.split("/")}
        below = {os.path.normpath(n) if n else ANY for n in tested - elsewhere}
        for directory in directories:
            yield directory, below
        for other in elsewhere:
            for directory in directories if other[0] != "/" else ("",):
                path = self._file(f"{directory}/{other}")
                if self._name(path):
                    yield path.rpartition("/")[0] or "/", {path.rpartition("/")[2]}

    def _found_at(
        self, headers: tuple[str, ...], searched: tuple[str, ...]
    ) -> Mapping[int, set[str]]:
        """Index in `searched` → names by which headers may have been found there."""
        includes = self._includes.setdefault(searched, {})
        found_at: dict[int, set[str]] = defaultdict(set)
        for header in headers:
            possible = includes.get(header)
            if possible is None:
                possible = includes[header] = tuple(
                    _possible_includes(header, searched, self._links)
                )
            for index, name in possible:
                found_at[index].add(name)
        return found_at

    def _search_paths(self, name: str, headers: tuple[str, ...]) -> Collection[tuple[str, ...]]:
        """The lists of include directories that an object may have been compiled with."""
        # A source may belong to several targets, with different directories each.  Nothing marks
        # the source in a dependency file, but it is among the first of its files.
        match = _TARGET.search(name)
        rows = [row for file in headers[:4] for row in self._by_source.get(file, ())]
        of_target = [searched for target, searched in rows if match and target == match[1]]
        lists = of_target or [searched for _, searched in rows] or [()]
        return dict.fromkeys((*searched, *self._implicit) for searched in lists)

    def _is_watched(self, directory: str) -> bool:
        """Whether headers may appear in the directory: not in a build tree or a toolchain."""
        name = self._name(directory)
        return name.startswith("{project}") or (
            name != "" and not f"{directory}/".startswith(self._toolchain)
        )

    def _name(self, path: str) -> str:
        """The name of a path in the project, above it or outside of all roots; "" for any other."""
        name = self._names.get(path)
        if name is None:
            name = self._path_filter.name(path) or ""
            if not (
                name == "{project}"
                or name.startswith(("{project}/", "/"))
                or self._path_filter.roots.is_parent(name)
            ):
                name = ""
            self._names[path] = name
        return name

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


def _possible_includes(
    header: str, searched: tuple[str, ...], links: Mapping[str, str]
) -> Iterator[tuple[int, str]]:
    """Indexes of the directories in which a header may have been found, each with the name that it
    has there; `links` are the real paths of directories that others lead to."""
    is_below_searched = False
    for index, directory in enumerate(searched):
        for path in dict.fromkeys((directory, links.get(directory, directory))):
            prefix = path.rstrip("/") + "/"
            if header.startswith(prefix):
                is_below_searched = True
                yield index, header[len(prefix) :]
    if not is_below_searched:  # a built-in directory of the compiler that CMake does not report
        _, include, name = header.rpartition("/include/")
        if include:
            yield len(searched), name
        yield len(searched), header.rpartition("/")[2]


def _merged(rows: Iterable[Iterable[tuple[str, Collection[str]]]]) -> Mapping[str, set[str]]:
    """Directory → files below it, of all objects together."""
    total: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for directory, files in row:
            total[directory].update(files)
    return total


def _first_missing_of(
    directory: str, files: Iterable[str], file_states: FileStates, since_ns: int
) -> Iterator[tuple[str, str]]:
    """Each of `files` below `directory`, and its `_first_missing`; the directory alone if that is
    missing."""
    if missing := _first_missing(directory, file_states, since_ns):
        yield directory, missing
        return
    for file in files:
        path = f"{directory.rstrip('/')}/{file}"
        yield path, _first_missing(path, file_states, since_ns)


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
    return stat.S_ISDIR(status.st_mode) or status.st_ctime_ns < since_ns
