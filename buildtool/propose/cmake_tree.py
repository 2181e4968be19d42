"""The CMake files of a directory tree, read with limits: the tree is not trusted.

Commands in a tree's CMake files: as CMake ran them, or as they are written.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.value import Value

LISTING = "CMakeLists.txt"
MAX_DEPTH = 12
MAX_ENTRIES = 100_000  # files and directories, by name only
MAX_BYTES = 1 << 18  # of one file
MAX_TOTAL = 8 << 20  # of all; LLVM's take about 3 MiB
FOREIGN_DIRECTORIES = {
    *("third_party", "third-party", "thirdparty", "3rdparty", "external", "extern", "vendor"),
    *("node_modules", "venv", "__pycache__", "_deps", "CMakeFiles", "out", "dist"),
}
"""Directories with third-party or generated files."""
POSSIBLE_HEXAGON = re.compile(r"(?i)hexagon|qurt|\bhvx|fastrpc|skel\b|\bqaic|dsprpc|\bDSP_")
IDL_OF_SDK = {"AEEStdDef.idl", "AEEStdErr.idl", "remote.idl"}
_COMMENT = re.compile(r"#[^\n]*+")  # also after a "#" in a string: the text only gives hints


class CMakeTree(Value):
    """The files found below `root`; all paths are relative to it, with `/`, and "." for itself."""

    root: Path
    files: Mapping[str, str]  # texts of CMakeLists.txt and `*.cmake` by path, without comments
    interfaces: tuple[str, ...]  # the `*.idl` files
    unread: tuple[str, ...]  # what was skipped, and why

    @property
    def listings(self) -> tuple[str, ...]:
        """The directories with a CMakeLists.txt."""
        places = (path.rpartition("/") for path in self.files)
        return tuple(folder or "." for folder, _, name in places if name == LISTING)

    def read(self, path: str) -> str:
        """The text of a file of the tree; "" if it is missing or larger than 256 KiB."""
        return _text(self.root, path) or ""


def read_tree(root: Path) -> CMakeTree:
    """Read the CMake files below `root`, without build trees and third-party directories.

    A third-party directory is read if an add_subdirectory() names it and its CMake files name the
    DSP: a package of Python often has the C++ project that it binds in `vendor`.
    """
    root = root.resolve()
    unread: list[str] = []
    sizes = _Sizes()
    whole = CMakeTree(root, {}, (), ())
    folders = [root]
    for folder in folders:  # grows in the loop
        found = _read_below(root, folder, sizes, unread)
        if folder == root or any(map(POSSIBLE_HEXAGON.search, found.files.values())):
            whole = whole._replace(
                files={**whole.files, **found.files},
                interfaces=(*whole.interfaces, *found.interfaces),
            )
            folders += [added for added in _added_foreign(found) if added not in folders]
    return whole._replace(unread=tuple(unread))


class _Sizes:
    entries = 0
    text = 0


def _read_below(root: Path, folder: Path, sizes: _Sizes, unread: list[str]) -> CMakeTree:
    files: dict[str, str] = {}
    interfaces: list[str] = []
    for path in _paths(root, folder, sizes, unread):
        name = path.rpartition("/")[2]
        if name.endswith(".idl"):
            if name not in IDL_OF_SDK and (root / path).is_file():
                interfaces.append(path)
        elif name == LISTING or name.endswith(".cmake"):
            text = _text(root, path)
            sizes.text += len(text or "")
            if text is None:
                unread.append(f"{path} is not a file of at most 256 KiB below this directory")
            elif sizes.text > MAX_TOTAL:
                unread.append("the tree is too large: not all of its CMake files were read")
                break
            else:
                files[path] = _COMMENT.sub("", text)
    return CMakeTree(root, files, tuple(interfaces), ())


def _added_foreign(tree: CMakeTree) -> Iterator[Path]:
    """The third-party directories that the tree's files add, by path."""
    for call in written_calls(tree):
        if call.name == "add_subdirectory" and call.words:
            folder = directory_of(call, call.words[0], tree.root)
            place = tree.root / folder
            if FOREIGN_DIRECTORIES & {*folder.lower().split("/")} and _is_inside(place, tree.root):
                yield place


def _is_inside(place: Path, root: Path) -> bool:
    try:
        return place.resolve().is_relative_to(root) and place.is_dir()
    except (OSError, RuntimeError):  # RuntimeError: a loop of links
        return False


def _paths(root: Path, top: Path, sizes: _Sizes, unread: list[str]) -> Iterator[str]:
    """The paths of the files below `top`, relative to `root`; those of a directory come before
    those of subdirectories."""
    failed: list[OSError] = []
    for place, folders, names in os.walk(top, onerror=failed.append):
        inside = Path(place).relative_to(root)
        sizes.entries += len(folders) + len(names)
        if sizes.entries > MAX_ENTRIES:
            unread.append("the tree is too large: not all of its directories were searched")
            break
        is_build_tree = inside.parts and "CMakeCache.txt" in names
        if is_build_tree or len(inside.parts) >= MAX_DEPTH:
            folders.clear()
        if is_build_tree:
            continue
        folders[:] = sorted(folder for folder in folders if not _is_foreign(folder))
        yield from (str(inside / name) for name in sorted(names) if name.isprintable())
    unread += [f"{error.filename} cannot be read: {error.strerror}" for error in failed]


def _is_foreign(name: str) -> bool:
    return (
        name.startswith((".", "build", "cmake-build"))
        or name.lower() in FOREIGN_DIRECTORIES
        or not name.isprintable()
    )


def _text(root: Path, path: str) -> str | None:
    """The file's text; None if it is not a file, too large, or a link to outside the tree."""
    try:
        real = (root / path).resolve()
        if not real.is_relative_to(root) or not real.is_file():
            return None
        with real.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, RuntimeError):  # RuntimeError: a loop of links
        return None
    if len(data) > MAX_BYTES:
        return None
    return data.decode("utf-8-sig", errors="replace").replace("\0", " ")


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
