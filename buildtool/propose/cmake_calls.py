"""Commands in a tree's CMake files: as CMake ran them, or as they are written."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.value import Value
from buildtool.propose.cmake_tree import LISTING, CMakeTree

MAX_CALLS = 200_000
NESTED_BUILD_COMMANDS = (
    *("externalproject_add", "execute_process", "try_compile"),
    *("add_custom_command", "add_custom_target"),
)
"""Commands that can build another project in a separate step."""
_NAMES = (
    *("project", "option", "cmake_dependent_option", "if", "find_package"),
    *("add_subdirectory", "fetchcontent_declare", "add_test", "[a-z]+_(?:discover|add)_tests"),
)
_TRACED = re.compile(
    rb'\.idl"|"args":\["COPY"|"COPYONLY"|"WORKING_DIRECTORY"|"cmd":"(?i:'
    + b"|".join(name.encode() for name in (*NESTED_BUILD_COMMANDS, *_NAMES))
    + rb')"'
)
_TEXT = re.compile(
    rf"(?i)\b({'|'.join(('project', 'add_subdirectory', *NESTED_BUILD_COMMANDS))})\s*+"
    r"\(([^()]*+(?:\([^()]*+\)[^()]*+)*+)\)"
)
_WORD = re.compile(r'"((?:[^"\\]|\\.)*+)"|[^\s"]++', re.DOTALL)
_HERE = re.compile(r"\$\{(?:CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR)\}")


class CMakeCall(Value):
    """A command: its file relative to the tree, its line, its name in lower case, its arguments."""

    file: str
    line: int
    name: str
    words: tuple[str, ...]

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def definitions(self) -> Mapping[str, str]:
        """The cache entries among its arguments: `-DNAME=VALUE`, `-DNAME:TYPE=VALUE`."""
        pairs = (word[2:].partition("=") for word in self.words if word.startswith("-D"))
        return {name.partition(":")[0]: value for name, equals, value in pairs if equals}

    def after(self, keyword: str) -> str:
        """The argument after `keyword`, or ""."""
        both = zip(self.words, self.words[1:], strict=False)
        return next((word for before, word in both if before == keyword), "")


def traced_calls(trace: Path, root: Path) -> tuple[CMakeCall, ...]:
    """The commands that CMake ran in files below `root`, in order, with variables expanded.

    Of a trace that is incomplete or unreadable, returns the readable part.
    """
    calls: list[CMakeCall] = []
    try:
        with trace.open("rb") as stream:
            for line in stream:
                if _TRACED.search(line) and (call := _traced(line, root)):
                    calls.append(call)
                    if len(calls) >= MAX_CALLS:
                        break
    except OSError:
        pass
    return tuple(calls)


def _traced(line: bytes, root: Path) -> CMakeCall | None:
    try:
        row = json.loads(line)
        file = Path(row["file"])
        if not file.is_relative_to(root):
            return None
        words = tuple(part for word in row["args"] for part in word.split(";"))
        return CMakeCall(
            str(file.relative_to(root)), int(row["line"]), str(row["cmd"]).lower(), words
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def written_calls(tree: CMakeTree) -> Iterator[CMakeCall]:
    """The calls of project(), add_subdirectory() and nested builds in the tree's files, run or not.

    Variables are not expanded, except those for the file's directory, which becomes absolute.
    """
    for path, text in tree.files.items():
        here = str(tree.root / posixpath.dirname(path)).replace("\\", "\\\\")
        for match in _TEXT.finditer(text):
            words = tuple(_HERE.sub(here, word) for word in _words(match[2]))
            yield CMakeCall(path, text.count("\n", 0, match.start()) + 1, match[1].lower(), words)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.finditer(text):
        yield word[1] if word[1] is not None else word[0]


def directory_of(call: CMakeCall, word: str, root: Path) -> str:
    """The directory that `word` names, relative to the tree; "" if it is not in the tree.

    Relative paths start at the directory of the CMakeLists.txt with the call.
    """
    if not word or "$" in word or "\0" in word:
        return ""
    path = posixpath.normpath(posixpath.join(str(root), posixpath.dirname(call.file), word))
    if path == str(root):
        return "."
    inside = path.startswith(f"{root}/".replace("//", "/"))
    return posixpath.relpath(path, root) if inside else ""


def is_listing(path: str) -> bool:
    """Whether the file at `path` is a CMakeLists.txt."""
    return posixpath.basename(path) == LISTING
