"""What CMake's trace tells of its inputs: one JSON object a command, with arguments expanded.

Source: cmake(1), --trace-format=json-v1.  `frame` counts calls within a directory's
CMakeLists.txt, `global_frame` over all: so relative paths are relative to the directory of the
file that was last at frame 1 of the same row of calls.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import open_regular
from buildtool.drivers.cmake.scan.input_collector import InputCollector
from buildtool.drivers.cmake.scan.path_filter import PROBES

MAX_LINE = 16 << 20
MAX_BYTES = 4 << 30
MAX_FRAMES = 100_000
# Most lines are none of ours; to look at their bytes is ten times cheaper than to read them.
_OURS = re.compile(
    rb'"frame":1,|"cmd":"(?i:file|configure_file|include|find_package|execute_process|try_compile'
    rb'|try_run|aux_source_directory|load_cache)"'
    rb'|"(?:EXISTS|IS_[A-Z_]+)".*"cmd":"(?i:if|elseif|while)"|"CMAKE_MODULE_PATH".*"cmd":"'
)
_ASKED = frozenset(
    {"EXISTS", "IS_DIRECTORY", "IS_SYMLINK", "IS_READABLE", "IS_WRITABLE", "IS_EXECUTABLE"}
)
_HASHES = frozenset({"MD5", "SHA1"}) | {
    f"SHA{kind}{bits}" for kind in ("", "3_") for bits in (224, 256, 384, 512)
}
_READ_FIRST = _HASHES | {
    *("READ", "STRINGS", "SIZE", "TIMESTAMP", "READ_SYMLINK", "REAL_PATH", "READ_ELF"),
    *("COPY_FILE", "CREATE_LINK"),
}
_COPY_ENDS = frozenset(
    {
        *("DESTINATION", "TYPE", "FILE_PERMISSIONS", "DIRECTORY_PERMISSIONS", "PERMISSIONS"),
        *("NO_SOURCE_PERMISSIONS", "USE_SOURCE_PERMISSIONS", "FOLLOW_SYMLINK_CHAIN"),
        *("FILES_MATCHING", "PATTERN", "REGEX", "EXCLUDE", "OPTIONAL", "RENAME"),
        *("MESSAGE_ALWAYS", "MESSAGE_LAZY", "MESSAGE_NEVER"),
    }
)


class TraceError(BuildtoolError):
    """CMake's trace cannot be read, so nobody knows what it depends on."""

    code = "trace"


def read_trace(trace: Path, found: InputCollector, start: str, cmake_root: str = "\0") -> None:
    """Add to `found` what the commands in `trace` looked at.

    `start` is the directory of relative paths before any CMakeLists.txt is read; the modules
    below `cmake_root` are CMake's own.  Raises `TraceError`.
    """
    bases: list[str] = [start]
    reader = _Reader(found, cmake_root)
    for row in _rows(trace):
        try:
            frame, level = int(row["frame"]), int(row.get("global_frame", row["frame"]))
            file, command, arguments = str(row["file"]), str(row["cmd"]).lower(), row["args"]
            if not 1 <= frame <= level <= MAX_FRAMES:
                raise ValueError(f"frame {frame} of {level}")
            if not all(type(word) is str for word in arguments):
                raise ValueError("an argument that is no text")
        except (KeyError, TypeError, ValueError) as error:
            raise _bad(trace, f"{type(error).__name__}: {error}") from error
        bottom = level - frame + 1
        if frame == 1 and os.path.basename(file) == "CMakeLists.txt":  # noqa: PTH119
            del bases[bottom:]
            bases += [bases[-1]] * (bottom - len(bases))
            bases.append(os.path.dirname(file))  # noqa: PTH120
        if file.startswith(cmake_root) and (command == "include" or PROBES.search(file)):
            continue
        reader.base = bases[min(bottom, len(bases) - 1)]
        if handler := _COMMANDS.get(command):
            handler(reader, arguments)
    reader.modules()


def _rows(trace: Path) -> Iterator[Any]:
    size = 0
    try:
        with open_regular(trace) as stream:
            if b'"version"' not in stream.readline(4096):
                raise _bad(trace, "it does not begin as one")
            while line := stream.readline(MAX_LINE):
                size += len(line)
                if not line.endswith(b"\n") or size > MAX_BYTES:
                    raise _bad(trace, "it ends within a line, or has no end")
                if _OURS.search(line):
                    yield json.loads(line.decode(errors="surrogateescape"))
    except (OSError, ValueError, RecursionError) as error:
        raise _bad(trace, str(error)) from error


def _bad(trace: Path, why: str) -> TraceError:
    return TraceError(
        f"CMake's trace {trace} cannot be read",
        why=why,
        remedy="Build again; if it comes back, see whether the disk is full.",
    )


class _Reader:
    """The commands that look at files: each method takes the arguments of one."""

    def __init__(self, found: InputCollector, cmake_root: str) -> None:
        self.found = found
        self.base = ""
        self._cmake_root = cmake_root
        self._module_path: dict[str, None] = {}
        self._wanted: dict[str, None] = {}

    def place(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.base}/{path}"

    def file(self, arguments: Sequence[str]) -> None:
        if len(arguments) < 2:
            return
        kind, rest = arguments[0], arguments[1:]
        if kind in _READ_FIRST:
            self.found.content(self.place(rest[0]))
        elif kind in ("COPY", "INSTALL"):
            self.copy(kind, rest)
        elif kind in ("GLOB", "GLOB_RECURSE"):
            self.glob(kind, rest)
        elif kind in ("GENERATE", "ARCHIVE_EXTRACT", "CONFIGURE") and "INPUT" in rest[:-1]:
            self.found.content(self.place(rest[rest.index("INPUT") + 1]))

    def copy(self, kind: str, rest: Sequence[str]) -> None:
        # COPY names its files first; the install script names them after FILES, to the end.
        words = list(rest)
        if kind == "INSTALL" and "FILES" in words:
            words = words[words.index("FILES") + 1 :]
        for word in words:
            if word in _COPY_ENDS:
                break
            self.found.whole(self.place(word))

    def glob(self, kind: str, rest: Sequence[str]) -> None:
        recursive = kind == "GLOB_RECURSE"
        directories, follow = not recursive, False
        words = iter(rest[1:])  # without the variable
        for word in words:
            if word == "LIST_DIRECTORIES":
                directories = next(words, "").upper() in ("TRUE", "ON", "YES", "Y", "1")
            elif word == "RELATIVE":
                next(words, "")
            elif word == "FOLLOW_SYMLINKS":
                follow = True
            elif word != "CONFIGURE_DEPENDS" and word:
                self.found.listing(
                    word, self.base, recursive=recursive, directories=directories, follow=follow
                )

    def configure_file(self, arguments: Sequence[str]) -> None:
        if arguments:
            path = self.place(arguments[0])
            # A directory as input makes it a copy of the tree's frame only.
            self.found.content(path)

    def condition(self, arguments: Sequence[str]) -> None:
        for before, word in zip(("", *arguments), arguments, strict=False):
            if before == "IS_EXECUTABLE" and word:
                self.found.content(self.place(word))  # of which the mode is a part
            elif before in _ASKED and word:
                self.found.existence(self.place(word))
        for at, word in enumerate(arguments[1:-1], 1):
            if word == "IS_NEWER_THAN":
                self.found.content(self.place(arguments[at - 1]))
                self.found.content(self.place(arguments[at + 1]))

    def include(self, arguments: Sequence[str]) -> None:
        if not arguments:
            return
        name = arguments[0]
        if not name.startswith("/"):
            self._wanted[f"{name}.cmake"] = None
        if "/" in name or name.endswith(".cmake"):
            self.found.existence(self.place(name))

    def find_package(self, arguments: Sequence[str]) -> None:
        if arguments:
            self._wanted[f"Find{arguments[0]}.cmake"] = None

    def variable(self, arguments: Sequence[str]) -> None:
        """set() and list(): where modules are looked for."""
        if "CMAKE_MODULE_PATH" in arguments[:2]:
            for word in arguments:
                for part in word.split(";"):
                    if part.startswith("/"):
                        self._module_path[part] = None

    def modules(self) -> None:
        """A module is taken from the first directory that has it."""
        for directory in self._module_path:
            for name in self._wanted:
                self.found.existence(f"{directory}/{name}")

    def command(self, arguments: Sequence[str]) -> None:
        """A program that CMake runs, or compiles: the files among its arguments."""
        for word in arguments:
            path = self.place(word)
            if word and os.path.isfile(path):  # noqa: PTH113
                name = self.found.path_filter.name(path)
                if name and not name.startswith("/"):
                    self.found.files.add(name)

    def directory(self, arguments: Sequence[str]) -> None:
        if arguments:
            self.found.listing("*", self.place(arguments[0]), directories=False)


_COMMANDS: dict[str, Callable[[_Reader, Sequence[str]], None]] = {
    "file": _Reader.file,
    "configure_file": _Reader.configure_file,
    "if": _Reader.condition,
    "elseif": _Reader.condition,
    "while": _Reader.condition,
    "include": _Reader.include,
    "find_package": _Reader.find_package,
    "set": _Reader.variable,
    "list": _Reader.variable,
    "execute_process": _Reader.command,
    "try_compile": _Reader.command,
    "try_run": _Reader.command,
    "aux_source_directory": _Reader.directory,
}
