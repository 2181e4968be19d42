"""The CMake files of a directory tree, read with limits: the tree is not trusted."""

from __future__ import annotations

import os
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
IDL_OF_SDK = {"AEEStdDef.idl", "AEEStdErr.idl", "remote.idl"}
_COMMENT = re.compile(r"#[^\n]*+")  # also after a "#" in a string: the text only gives hints


class CMakeTree(Value):
    """The files found below `root`; all paths are relative to it, with `/`, and "." for itself.

    `files` has the texts of CMakeLists.txt and `*.cmake` files by path, without comments;
    `interfaces` are the `*.idl` files.  `unread` says what was skipped, and why.
    """

    root: Path
    files: Mapping[str, str]
    interfaces: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def listings(self) -> tuple[str, ...]:
        """The directories with a CMakeLists.txt."""
        places = (path.rpartition("/") for path in self.files)
        return tuple(folder or "." for folder, _, name in places if name == LISTING)

    def read(self, path: str) -> str:
        """The text of a file of the tree; "" if it is missing or larger than 256 KiB."""
        return _text(self.root, path) or ""


def read_tree(root: Path) -> CMakeTree:
    """Read the CMake files below `root`, without third-party directories and build trees."""
    root = root.resolve()
    files: dict[str, str] = {}
    interfaces: list[str] = []
    unread: list[str] = []
    total = 0
    for path in _paths(root, unread):
        name = path.rpartition("/")[2]
        if name.endswith(".idl"):
            if name not in IDL_OF_SDK and (root / path).is_file():
                interfaces.append(path)
        elif name == LISTING or name.endswith(".cmake"):
            text = _text(root, path)
            total += len(text or "")
            if text is None:
                unread.append(f"{path} is not a file of at most 256 KiB below this directory")
            elif total > MAX_TOTAL:
                unread.append("the tree is too large: not all of its CMake files were read")
                break
            else:
                files[path] = _COMMENT.sub("", text)
    return CMakeTree(root, files, tuple(interfaces), tuple(unread))


def _paths(root: Path, unread: list[str]) -> Iterator[str]:
    """The paths of the tree's files; those of a directory come before those of subdirectories."""
    seen = 0
    failed: list[OSError] = []
    for place, folders, names in os.walk(root, onerror=failed.append):
        inside = Path(place).relative_to(root)
        seen += len(folders) + len(names)
        if seen > MAX_ENTRIES:
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
