"""CMake's configure log: what its find_ commands searched, what try_compile() and try_run() ran.

Source: cmake-configure-log(7), events find-v1, find_package-v1, try_compile-v1 and try_run-v1.  The
log is YAML, of which only the shapes that CMake writes are parsed: an event starts with `kind:`,
keys are indented by four spaces, strings are in double quotes, output is a block.

The inputs of CMake's checks are the sources of try_compile(), try_run() and check_ commands, with
all headers that these may include.  CMake deletes the build trees of checks, and a check that fails
because a header is missing leaves no dependency file.  So headers are searched here, in the text of
the sources: each header that a compiler could find in any of the directories counts, and so does
the absence of one that is in none of them.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.drivers.cmake.scan.command_files import words_of
from buildtool.drivers.cmake.scan.header_names import (
    ANY,
    find_requested_names,
    include_directories,
    joined_lines,
    macro_definitions,
    read_source,
)
from buildtool.drivers.cmake.scan.path_filter import COMPILER_DETECTION, InputCollector, escape_glob

MAX_BYTES = 256 << 20
_KEY = re.compile(r"    (\w+):(?: (.*))?$")
_ITEM = re.compile(r"      - (\".*\")$")
_CANDIDATE = re.compile(r"        path: (\".*\")$")
_FOUND = re.compile(r"      path: (\".*\")$")
_SUBKEY = re.compile(r"      ([\w{}]+):(?: (\".*\"))?$")
_SUBKEY_ITEM = re.compile(r"        - (\".*\")$")
_OUTPUT = re.compile(r"      stdout: (?:\||(\".*\"))$")
_LISTS = ("backtrace", "names", "searched_directories", "candidates")
_MAPPINGS = ("settings", "search_context")
_SEARCHES = ("find-v1", "find_package-v1")
_CHECKS = ("try_compile-v1", "try_run-v1")


class Event:
    """An event of the log: its scalars and lists by key; lists in a mapping as `mapping/key`.
    `output` are the lines that the build of a check printed."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.values: dict[str, str] = {}
        self.lists: dict[str, list[str]] = {}
        self.output: list[str] = []


def read_events(log: Path) -> Iterator[Event]:
    """The events that the project's CMake code caused; those of the detection of compilers belong
    to the toolchain.  A log that does not exist has none."""
    for event in _events(log):
        backtrace = event.lists.get("backtrace", ())
        if not (backtrace and COMPILER_DETECTION.search(backtrace[0])):
            yield event


def _events(log: Path) -> Iterator[Event]:
    try:
        text = read_regular(log, MAX_BYTES).decode(errors="surrogateescape")
    except OSError:
        return
    event: Event | None = None
    key = list_key = ""
    for line in text.split("\n"):
        if line.startswith("    kind: "):
            if event:
                yield event
            kind = _unquoted(line[len("    kind: ") :])
            event = Event(kind) if kind in (*_SEARCHES, *_CHECKS) else None
            key = list_key = ""
        elif not event:
            continue
        elif key == "buildResult" and line.startswith("        "):
            event.output.append(line[8:])
        elif match := _KEY.match(line):
            key, list_key = match[1], ""
            event.values[key] = _unquoted(match[2] or "")
        elif key == "found" and (match := _FOUND.match(line)):
            event.values[key] = _unquoted(match[1])
        elif key == "buildResult" and (match := _OUTPUT.match(line)):
            event.output += _unquoted(match[1] or "").split("\n")
        elif key in _MAPPINGS and (match := _SUBKEY.match(line)):
            list_key = f"{key}/{match[1]}"
            event.lists[list_key] = [_unquoted(match[2])] if match[2] else []
        elif key in _MAPPINGS and list_key and (match := _SUBKEY_ITEM.match(line)):
            event.lists[list_key].append(_unquoted(match[1]))
        elif key in _LISTS and (match := _ITEM.match(line) or _CANDIDATE.match(line)):
            event.lists.setdefault(key, []).append(_unquoted(match[1]))
    if event:
        yield event


def _unquoted(value: str) -> str:
    if value.startswith('"'):
        try:
            return str(json.loads(value))  # a quoted string is the same in JSON and YAML
        except ValueError:
            return value.strip('"')
    return value


# CMake also searches the system's prefixes; of these only the candidates that it lists count.  In
# those to ignore it does not search.
_SYSTEM_PREFIXES = ("CMAKE_SYSTEM_PREFIX_PATH", "CMAKE_INSTALL_PREFIX", "ENV{PATH}")
_IGNORED = (
    *("CMAKE_IGNORE_PATH", "CMAKE_IGNORE_PREFIX_PATH"),
    *("CMAKE_SYSTEM_IGNORE_PATH", "CMAKE_SYSTEM_IGNORE_PREFIX_PATH"),
)
_LIBRARY_DIRECTORIES = ("lib*", "share", "lib/*")


def add_searches(events: Iterable[Event], found: InputCollector) -> None:
    """Add to `found` the paths where CMake searched in vain, and those that it found."""
    for event in events:
        if event.kind == "find_package-v1":
            _add_package(event, found)
        elif event.kind == "find-v1":
            _add_search(event, found)


def _add_search(event: Event, found: InputCollector) -> None:
    """find_file(), find_library(), find_path() and find_program()."""
    mode, names = event.values.get("mode", ""), event.lists.get("names", [])
    for path in event.lists.get("searched_directories", ()):
        if mode == "library" and path.endswith("/"):
            for name in names:
                for file in (name, f"lib{name}.so", f"lib{name}.a"):
                    found.add_existence(path + file)
        elif path.startswith("/"):
            found.add_existence(path)
    result = event.values.get("found", "")
    if not result.startswith("/"):
        return
    if mode == "program":  # the build may run it
        found.add_content(result)
    elif mode == "path":
        for name in names:
            if os.path.lexists(f"{result}/{name}"):
                found.add_existence(f"{result}/{name}")
    else:
        found.add_existence(result)


def _add_package(event: Event, found: InputCollector) -> None:
    """find_package()."""
    for path in event.lists.get("candidates", ()):
        if path.startswith("/"):
            found.add_existence(path)
    # The candidates do not include those in directories that do not exist.
    prefixes = dict.fromkeys(
        path.rstrip("/")
        for key, paths in event.lists.items()
        for path in paths
        if key.startswith(("settings/hints", "settings/search_paths", "search_context/"))
        and key.rpartition("/")[2] not in (*_SYSTEM_PREFIXES, *_IGNORED)
        and path.startswith("/")
    )
    for name in event.lists.get("settings/names") or [event.values.get("name", "")]:
        for pattern in _package_files(name) if name else ():
            for prefix in prefixes:
                found.add_listing(pattern, prefix)


def _package_files(name: str) -> Iterator[str]:
    """Where find_package() searches below a prefix, as globs.  Source: its reference, "Config Mode
    Search Procedure"; directory names are case-insensitive there."""
    any_case = "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else escape_glob(c) for c in name)
    named = f"{any_case}*/"
    folders = ["", "[cC][mM]ake/", f"[cC][mM]ake/{named}"]
    for library in _LIBRARY_DIRECTORIES:
        folders += [f"{library}/cmake/{named}", f"{library}/{named}", f"{library}/{named}cmake/"]
    for folder in folders:
        yield f"{folder}{any_case}*onfig.cmake"
        yield f"{named}{folder}{any_case}*onfig.cmake"
    for library in _LIBRARY_DIRECTORIES:
        yield f"{library}/cps/{any_case}.cps"
        yield f"{library}/cps/{named}{any_case}.cps"


_COMMAND = re.compile(r"\[\d+/\d+\] (.*)")
_DIRECTORY = re.compile(r"Change Dir: '(.*)'")
_INCLUDES = re.compile(r"-DINCLUDE_DIRECTORIES(?::\w+)?=(.*)", re.DOTALL)
_UNKNOWN = re.compile(r"[<\"][^>\"]*(?:@\w|\$\{)[^>\"]*[>\"]")  # a name that CMake fills in


class Checks:
    """The sources of all checks of a configuration: files, and `texts` that CMake writes into
    files; and what they are compiled with."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.texts: dict[str, None] = {}
        self.directories: dict[str, None] = {}
        self.definitions: dict[str, None] = {}

    def add_call(self, arguments: Iterable[str], base: str) -> None:
        """try_compile() or try_run(), whose relative paths start at `base`."""
        for word in arguments:
            if word and self._add_file(os.path.join(base, word)):  # noqa: PTH118
                continue
            if match := _INCLUDES.fullmatch(word):
                self._add_flags([f"-I{path}" for path in match[1].split(";") if path], base)
            else:
                self._add_flags(words_of(word.replace(";", " ")), base)

    def add_text(self, text: str, *, by_cmake: bool) -> None:
        """A text that may be that of a source; `by_cmake`: of one of CMake's own modules, for which
        the names that they fill in are known from their calls."""
        self.texts[joined_lines(_UNKNOWN.sub("" if by_cmake else "UNKNOWN()", text))] = None

    def add_event(self, event: Event) -> None:
        """The build of a check: its commands."""
        base = "/"
        for line in event.output:
            if match := _DIRECTORY.match(line):
                base = match[1]
            elif match := _COMMAND.match(line):
                words = words_of(match[1])
                self._add_flags(words, base)
                for option, word in itertools.pairwise(words):
                    if option == "-c":
                        self._add_file(os.path.join(base, word))  # noqa: PTH118
                    elif option in ("-include", "-imacros"):
                        self.texts[f'#include "{word}"'] = None

    def _add_file(self, path: str) -> bool:
        """Add a source, if CMake has not deleted it."""
        if os.path.isfile(path):  # noqa: PTH113
            self.files[path] = None
            return True
        return False

    def _add_flags(self, flags: list[str], base: str) -> None:
        self.directories |= dict.fromkeys(include_directories(flags, base))
        self.definitions |= dict.fromkeys(macro_definitions(flags))


def add_checks(checks: Checks, implicit: Iterable[str], found: InputCollector) -> None:
    """Add to `found` what the checks read; `implicit` are the directories that the compilers search
    after all others."""
    if checks.files or checks.directories:
        _Search(checks, tuple(dict.fromkeys(implicit)), found).run()


class _Search:
    """Searches the headers of all checks."""

    def __init__(self, checks: Checks, implicit: tuple[str, ...], found: InputCollector) -> None:
        self._checks = checks
        self._implicit = implicit
        self._found = found
        self._texts: dict[str, str] = {}
        self._names: set[str] = set()
        self._waiting = [*checks.files]

    def run(self) -> None:
        definitions = self._checks.definitions
        self._look(find_requested_names(self._checks.texts, definitions), "")
        while self._waiting:
            while self._waiting:
                self._read(self._waiting.pop())
            # A macro of one file may name what another one includes.  Names that only all texts
            # together give are looked for beside each file, until that finds no more files.
            every = find_requested_names([*self._checks.texts, *self._texts.values()], definitions)
            folders = {path.rpartition("/")[0] for path in self._texts}
            for names, folder in itertools.product([every - self._names], folders):
                self._look(names, folder)

    def _read(self, path: str) -> None:
        if path in self._texts:
            return
        path_filter = self._found.path_filter
        is_tools = path_filter.name(path) is None and not path.startswith(f"{path_filter.tree}/")
        self._texts[path] = "" if is_tools else read_source(path)  # the step key covers the tools
        self._found.add_content(path)
        names = find_requested_names([self._texts[path]], self._checks.definitions)
        self._look(names, path.rpartition("/")[0])

    def _look(self, names: Iterable[str], beside: str) -> None:
        """Search `names`, which a file in the directory `beside` includes or tests."""
        self._names.update(names)
        own = [path for path in (beside, *self._checks.directories) if path]
        for name in names:
            if name == ANY:
                for directory in own:
                    if not f"{directory}/".startswith(tuple(f"{p}/" for p in self._implicit)):
                        self._found.add_listing("*", directory, recursive=True, directories=False)
                continue
            for directory in own if name[0] != "/" else ("",):
                self._find(f"{directory}/{name}")
            # The compilers' own directories are searched last.  If some have the header, it does
            # not matter that others lack it; if none has, it may appear in each.
            paths = [f"{directory}/{name}" for directory in self._implicit]
            present = [path for path in paths if os.path.isfile(path)]  # noqa: PTH113
            for path in present or paths:
                self._find(path)

    def _find(self, path: str) -> None:
        path = self._found.path_filter.normalizer.path(path)
        if os.path.isfile(path):  # noqa: PTH113
            self._waiting.append(path)
        else:
            self._found.add_existence(path)
