"""The CMake files of a directory tree, read within bounds: the tree may be anybody's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.value import Value

LISTING = "CMakeLists.txt"
MAX_DEPTH = 12
MAX_ENTRIES = 100_000  # files and directories looked at, by name only
MAX_BYTES = 1 << 18  # of one file
MAX_TOTAL = 8 << 20  # of all; LLVM's have some 3 MiB
FOREIGN_DIRECTORIES = {
    *("third_party", "third-party", "thirdparty", "3rdparty", "external", "extern", "vendor"),
    *("node_modules", "venv", "__pycache__", "_deps", "CMakeFiles", "out", "dist"),
}
"""Directories of what is not the tree's own."""
IDL_OF_SDK = {"AEEStdDef.idl", "remote.idl"}
_COMMENT = re.compile(r"#[^\n]*+")  # a "#" in a text as well: hints are all that is read of it


class CMakeTree(Value):
    """What was found below `root`; all paths are relative to it, with `/`, "." for itself.

    `files` are the texts of CMakeLists.txt and `*.cmake` by path, without their comments,
    `interfaces` the `*.idl`.  `unread` says what was passed over, and why.
    """

    root: Path
    files: Mapping[str, str]
    interfaces: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def listings(self) -> tuple[str, ...]:
        """The directories that have a CMakeLists.txt."""
        places = (path.rpartition("/") for path in self.files)
        return tuple(folder or "." for folder, _, name in places if name == LISTING)

    def read(self, path: str) -> str:
        """The text of a file of the tree, if it has at most 256 KiB, or "" where there is none."""
        return _text(self.root, path) or ""


def read_tree(root: Path) -> CMakeTree:
    """Read the CMake files below `root`; directories of others and build trees are left out."""
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
                unread.append(f"{path} is no file of at most 256 KiB below this directory")
            elif total > MAX_TOTAL:
                unread.append("the tree is large: not all of its CMake files were read")
                break
            else:
                files[path] = _COMMENT.sub("", text)
    return CMakeTree(root, files, tuple(interfaces), tuple(unread))


def _paths(root: Path, unread: list[str]) -> Iterator[str]:
    """The files of the tree by their paths, those of a directory in front of what is below it."""
    seen = 0
    failed: list[OSError] = []
    for place, folders, names in os.walk(root, onerror=failed.append):
        inside = Path(place).relative_to(root)
        seen += len(folders) + len(names)
        if seen > MAX_ENTRIES:
            unread.append("the tree is large: not all of its directories were looked at")
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
    """The file's text; None for what is no file, too large, or elsewhere through a link."""
    try:
        real = (root / path).resolve()
        if not real.is_relative_to(root) or not real.is_file():
            return None
        with real.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, RuntimeError):  # RuntimeError: links that go round
        return None
    if len(data) > MAX_BYTES:
        return None
    return data.decode("utf-8-sig", errors="replace").replace("\0", " ")
