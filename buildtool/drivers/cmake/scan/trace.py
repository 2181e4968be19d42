"""The files that CMake commands read, from CMake's trace.

To support another command that reads a file, add it to `_COMMANDS` at the end of this module.

Source: cmake(1), --trace-format=json-v1: one JSON object for each command, with expanded arguments.
`frame` is the depth of the call stack within the CMakeLists.txt of a directory, `global_frame` that
over all directories.  Relative paths start at the directory whose CMakeLists.txt is being read: the
one that was last at frame 1 of the same stack.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular
from buildtool.core.value import Value
from buildtool.drivers.cmake.scan.configure_log import Checks
from buildtool.drivers.cmake.scan.path_filter import COMPILER_DETECTION, InputCollector
from buildtool.inputs.path_sets import PathSet

MAX_LINE = 16 << 20
MAX_BYTES = 4 << 30
MAX_FRAMES = 100_000
_FILE_TESTS = frozenset(
    {"EXISTS", "IS_DIRECTORY", "IS_SYMLINK", "IS_READABLE", "IS_WRITABLE", "IS_EXECUTABLE"}
)
_HASHES = frozenset({"MD5", "SHA1"}) | {
    f"SHA{kind}{bits}" for kind in ("", "3_") for bits in (224, 256, 384, 512)
}
_READ_FIRST_ARGUMENT = _HASHES | {  # subcommands of file()
    *("READ", "STRINGS", "SIZE", "TIMESTAMP", "READ_SYMLINK", "REAL_PATH", "READ_ELF"),
    *("COPY_FILE", "CREATE_LINK"),
}
_COPY_OPTIONS = frozenset(
    {
        *("DESTINATION", "TYPE", "FILE_PERMISSIONS", "DIRECTORY_PERMISSIONS", "PERMISSIONS"),
        *("NO_SOURCE_PERMISSIONS", "USE_SOURCE_PERMISSIONS", "FOLLOW_SYMLINK_CHAIN"),
        *("FILES_MATCHING", "PATTERN", "REGEX", "EXCLUDE", "OPTIONAL", "RENAME"),
        *("MESSAGE_ALWAYS", "MESSAGE_LAZY", "MESSAGE_NEVER"),
    }
)


class TraceError(BuildtoolError):
    """CMake's trace cannot be read, so it is unknown what CMake depends on."""

    code = "trace"


class Traced(Value):
    """The files that the commands of a trace make other programs read: the sources of `checks`, and
    the files of `external` projects, which the build itself configures and builds, with
    ExternalProject_Add(), in `external_directories`."""

    checks: Checks
    external: PathSet
    external_directories: tuple[str, ...]


def read_trace(trace: Path, found: InputCollector, start: str, cmake_root: str = "\0") -> Traced:
    """Add to `found` what the commands in `trace` read; returns what is read in other ways.

    `start` is the directory of relative paths before the first CMakeLists.txt; CMake's own modules
    are below `cmake_root`.  Raises `TraceError`.
    """
    bases: list[str] = [start]
    commands, check_level = _Commands(found), MAX_FRAMES
    for row in _rows(trace):
        try:
            frame, level = int(row["frame"]), int(row.get("global_frame", row["frame"]))
            file, command, arguments = str(row["file"]), str(row["cmd"]).lower(), row["args"]
            if not 1 <= frame <= level <= MAX_FRAMES:
                raise ValueError(f"frame {frame} of {level}")
            if not all(type(word) is str for word in arguments):
                raise ValueError("an argument is not a string")
        except (KeyError, TypeError, ValueError) as error:
            raise _unreadable(trace, f"{type(error).__name__}: {error}") from error
        # `bases` is a stack: `bottom` is the place of the directory that this frame belongs to.
        # Functions and included files are higher frames of the same directory; add_subdirectory()
        # starts again at frame 1 above them, so places in between repeat the directory below.
        bottom = level - frame + 1
        if frame == 1 and os.path.basename(file) == "CMakeLists.txt":  # noqa: PTH119
            del bases[bottom:]
            bases += [bases[-1]] * (bottom - len(bases))
            bases.append(os.path.dirname(file))  # noqa: PTH120
        is_cmakes = file.startswith(cmake_root)
        # What CMake's own modules read of the project counts (configure_file, try_compile); that
        # they include each other, or look at compilers, belongs to the identity of the tools.
        if is_cmakes and (command == "include" or COMPILER_DETECTION.search(file)):
            continue
        commands.base = bases[min(bottom, len(bases) - 1)]
        if level > check_level and not is_cmakes:
            found.add_content(file)  # of a checked project: the File API does not list it
        else:
            check_level = level if command in ("try_compile", "try_run") else MAX_FRAMES
        for word in filter(_SOURCE.search, arguments):
            commands.checks.add_text(word, by_cmake=is_cmakes)
        if handler := _COMMANDS.get(command):
            handler(commands, arguments)
    commands.add_modules()
    return Traced(commands.checks, commands.external.paths, tuple(commands.external_directories))


def _rows(trace: Path) -> Iterator[Any]:
    """The lines of the trace that may matter, parsed."""
    size = 0
    try:
        with open_regular(trace) as stream:
            if b'"version"' not in stream.readline(4096):
                raise _unreadable(trace, "its first line has no version")
            while line := stream.readline(MAX_LINE):
                size += len(line)
                if not line.endswith(b"\n") or size > MAX_BYTES:
                    raise _unreadable(trace, "it is truncated, or too large")
                if _RELEVANT.search(line) or _has_source(line):
                    yield json.loads(line.decode(errors="surrogateescape"))
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(trace, str(error)) from error


def _has_source(line: bytes) -> bool:
    """Whether the arguments may hold the text of a source that asks for headers."""
    directive = b"#" in line or b"%:" in line
    return b"__has_" in line or (directive and _DIRECTIVE.search(line) is not None)


def _unreadable(trace: Path, why: str) -> TraceError:
    return TraceError(
        f"CMake's trace {trace} cannot be read",
        why=why,
        remedy="Build again; if the error persists, check whether the disk is full.",
    )


class _Commands:
    """One method for each command that reads files: it takes the arguments of a call, and adds to
    `found` what the call reads.  `base` is the directory of relative paths."""

    def __init__(self, found: InputCollector) -> None:
        self.found = found
        self.checks = Checks()
        self.external = InputCollector(found.path_filter, found.file_states)
        self.external_directories: dict[str, None] = {}
        self.base = ""
        self._module_path: dict[str, None] = {}
        self._modules: dict[str, None] = {}

    def absolute(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.base}/{path}"

    def file(self, arguments: Sequence[str]) -> None:
        if len(arguments) < 2:
            return
        subcommand, rest = arguments[0], arguments[1:]
        if subcommand in _READ_FIRST_ARGUMENT:
            self.found.add_content(self.absolute(rest[0]))
        elif subcommand in ("COPY", "INSTALL"):
            self._file_copy(subcommand, rest)
        elif subcommand in ("GLOB", "GLOB_RECURSE"):
            self._file_glob(subcommand, rest)
        elif subcommand in ("GENERATE", "ARCHIVE_EXTRACT", "CONFIGURE") and "INPUT" in rest[:-1]:
            self.found.add_content(self.absolute(rest[rest.index("INPUT") + 1]))

    def _file_copy(self, subcommand: str, rest: Sequence[str]) -> None:
        # COPY names its files first; INSTALL, in install scripts, after FILES and last.
        words = list(rest)
        if subcommand == "INSTALL" and "FILES" in words:
            words = words[words.index("FILES") + 1 :]
        for word in words:
            if word in _COPY_OPTIONS:
                break
            self.found.add_tree(self.absolute(word))

    def _file_glob(self, subcommand: str, rest: Sequence[str]) -> None:
        recursive = subcommand == "GLOB_RECURSE"
        directories, follow = not recursive, False
        words = iter(rest[1:])  # the first one is the variable
        for word in words:
            if word == "LIST_DIRECTORIES":
                directories = next(words, "").upper() in ("TRUE", "ON", "YES", "Y", "1")
            elif word == "RELATIVE":
                next(words, "")
            elif word == "FOLLOW_SYMLINKS":
                follow = True
            elif word != "CONFIGURE_DEPENDS" and word:
                self.found.add_listing(
                    word, self.base, recursive=recursive, directories=directories, follow=follow
                )

    def configure_file(self, arguments: Sequence[str]) -> None:
        if arguments:
            self.found.add_content(self.absolute(arguments[0]))

    def condition(self, arguments: Sequence[str]) -> None:
        """if(), elseif() and while(): tests of files."""
        for operator, word in zip(("", *arguments), arguments, strict=False):
            if operator == "IS_EXECUTABLE" and word:
                self.found.add_content(self.absolute(word))  # the state includes the mode
            elif operator in _FILE_TESTS and word:
                self.found.add_existence(self.absolute(word))
        for at, word in enumerate(arguments[1:-1], 1):
            if word == "IS_NEWER_THAN":
                self.found.add_content(self.absolute(arguments[at - 1]))
                self.found.add_content(self.absolute(arguments[at + 1]))

    def include(self, arguments: Sequence[str]) -> None:
        if not arguments:
            return
        name = arguments[0]
        if not name.startswith("/"):
            self._modules[f"{name}.cmake"] = None
        if "/" in name or name.endswith(".cmake"):
            self.found.add_content(self.absolute(name))

    def find_package(self, arguments: Sequence[str]) -> None:
        """Only find modules; `find_commands` reads from CMake's configure log what is searched
        for packages."""
        if arguments:
            self._modules[f"Find{arguments[0]}.cmake"] = None

    def set_variable(self, arguments: Sequence[str]) -> None:
        """set() and list(): the directories that modules are searched in."""
        if "CMAKE_MODULE_PATH" in arguments[:2]:
            for word in arguments:
                for part in word.split(";"):
                    if part.startswith("/"):
                        self._module_path[part] = None

    def add_modules(self) -> None:
        """Each module may appear in each directory of CMAKE_MODULE_PATH: the first one counts."""
        for directory in self._module_path:
            for name in self._modules:
                self.found.add_content(f"{directory}/{name}")

    def run_program(self, arguments: Sequence[str]) -> None:
        """Commands that run or compile something: the files of the project among the arguments."""
        self._add_files(arguments, self.found)

    def fetch_content(self, arguments: Sequence[str]) -> None:
        """FetchContent_Declare(): an archive or a directory of the project."""
        self.run_program(arguments)
        for option, path in itertools.pairwise(arguments):
            if option == "URL" and path and os.path.isdir(self.absolute(path)):  # noqa: PTH112
                self.found.add_tree(self.absolute(path))

    def _add_files(self, arguments: Sequence[str], found: InputCollector) -> None:
        for word in arguments:
            path = self.absolute(word)
            if word and os.path.isfile(path):  # noqa: PTH113
                name = found.path_filter.name(path)
                if name and not name.startswith("/"):
                    found.files.add(name)

    def check(self, arguments: Sequence[str]) -> None:
        """try_compile() and try_run()."""
        self.run_program(arguments)
        self.checks.add_call(arguments, self.base)
        named = [word for option, word in itertools.pairwise(arguments) if option == "SOURCE_DIR"]
        for word in (*arguments[2:3], *named):
            if word and os.path.isfile(f"{self.absolute(word)}/CMakeLists.txt"):  # noqa: PTH113
                self.found.add_tree(self.absolute(word))

    def check_include_file(self, arguments: Sequence[str]) -> None:
        self.checks.add_text(
            "".join(f"#include <{name}>\n" for name in arguments[:1]), by_cmake=True
        )

    def external_project(self, arguments: Sequence[str]) -> None:
        """ExternalProject_Add(): its source directory, and the files that its commands name."""
        self._add_files(arguments, self.external)
        for option, path in itertools.pairwise(arguments):
            if option == "SOURCE_DIR" and path.startswith("/") and os.path.isdir(path):  # noqa: PTH112
                self.external.add_listing("*", path)
                for name in self.external.file_states.entries(path) or ():
                    if name != ".git":  # git writes there also when it reads
                        self.external.add_tree(f"{path}/{name}")

    def external_directory(self, arguments: Sequence[str]) -> None:
        """set_property() of CMake's module ExternalProject: the directories that it has chosen."""
        for name, value in itertools.pairwise(arguments):
            if _EXTERNAL_DIRECTORY.fullmatch(name) and value.startswith("/"):
                self.external_directories[os.path.normpath(value)] = None

    def aux_source_directory(self, arguments: Sequence[str]) -> None:
        if arguments:
            self.found.add_listing("*", self.absolute(arguments[0]), directories=False)

    def load_cache(self, arguments: Sequence[str]) -> None:
        """load_cache(DIRECTORY... options) reads the cache of other build trees."""
        for word in arguments:
            if word in ("READ_WITH_PREFIX", "EXCLUDE", "INCLUDE_INTERNALS"):
                break
            self.found.add_content(f"{self.absolute(word)}/CMakeCache.txt")


_Handler = Callable[[_Commands, Sequence[str]], None]
_READING: dict[str, _Handler] = {
    "file": _Commands.file,
    "configure_file": _Commands.configure_file,
    "include": _Commands.include,
    "find_package": _Commands.find_package,
    "execute_process": _Commands.run_program,
    "try_compile": _Commands.check,
    "try_run": _Commands.check,
    "fetchcontent_declare": _Commands.fetch_content,
    "externalproject_add": _Commands.external_project,
    "externalproject_add_step": _Commands.external_project,
    "check_include_file": _Commands.check_include_file,
    "check_include_file_cxx": _Commands.check_include_file,
    "aux_source_directory": _Commands.aux_source_directory,
    "load_cache": _Commands.load_cache,
}
"""Commands of which every call matters."""
_CONDITIONS: dict[str, _Handler] = dict.fromkeys(("if", "elseif", "while"), _Commands.condition)
_ASSIGNMENTS: dict[str, _Handler] = dict.fromkeys(("set", "list"), _Commands.set_variable)
_COMMANDS = _READING | _CONDITIONS | _ASSIGNMENTS | {"set_property": _Commands.external_directory}
_EXTERNAL_DIRECTORY = re.compile("_EP_[A-Z]+_DIR")
_DIRECTIVE = re.compile(rb"(?:#|%:)(?: |\\t)*(?:include|import|embed)")
_SOURCE = re.compile(r"(?:#|%:)[ \t]*(?:include|import|embed)|__has_")
# Most lines do not matter; to search their bytes is ten times as fast as to parse them.
_RELEVANT = re.compile(
    '"frame":1,|"cmd":"(?i:{reading})"'
    '|"(?:EXISTS|IS_[A-Z_]+)".*"cmd":"(?i:{conditions})"|"CMAKE_MODULE_PATH".*"cmd":"'
    '|"_EP_[A-Z]+_DIR".*"cmd":"set_property"'.format(
        reading="|".join(_READING), conditions="|".join(_CONDITIONS)
    ).encode()
)
