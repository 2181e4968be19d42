"""The CMake files of a directory tree, read within bounds: the tree may be anybody's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from buildtool.project.propose.language import Command, commands

LISTING = "CMakeLists.txt"
PRESETS = "CMakePresets.json"
MAX_DEPTH = 12
MAX_ENTRIES = 100_000  # files and directories looked at, by name only
MAX_FILES = 4_000  # of them read
MAX_BYTES = 1 << 18  # of one file
MAX_TOTAL = 8 << 20  # of all; LLVM's have some 3 MiB
OTHERS = {
    *("third_party", "third-party", "thirdparty", "3rdparty", "external", "extern", "vendor"),
    *("node_modules", "venv", "__pycache__", "_deps", "CMakeFiles", "out", "dist"),
}
"""Directories of what is not the tree's own."""
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".S")
MAX_SOURCES = 20_000  # remembered by name
IDL_OF_SDK = {"AEEStdDef.idl", "remote.idl"}


@dataclass(frozen=True, slots=True)
class CMakeTree:
    """What was found below `root`; all paths are relative to it, with `/`, "." for itself.

    `listings` are the commands of each directory's CMakeLists.txt, `modules` those of `*.cmake`
    by path, `presets` the texts of CMakePresets.json by directory, `interfaces` the `*.idl`,
    `sources` the C and C++ files, of which nothing is read.  `unread` says what was
    passed over, and why.
    """

    root: Path
    listings: Mapping[str, tuple[Command, ...]]
    modules: Mapping[str, tuple[Command, ...]]
    presets: Mapping[str, str]
    interfaces: tuple[str, ...]
    sources: tuple[str, ...]
    unread: tuple[str, ...]

    def read(self, path: str) -> str:
        """The text of a file of the tree, if it has at most 256 KiB, or "" where there is none."""
        return _text(self.root, PurePosixPath(path)) or ""


def read_tree(root: Path) -> CMakeTree:
    """Read the CMake files below `root`; directories of others and build trees are left out."""
    return _Walk(root.resolve()).tree()


class _Walk:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.entries = 0
        self.files = 0
        self.bytes = 0
        self.listings: dict[str, tuple[Command, ...]] = {}
        self.modules: dict[str, tuple[Command, ...]] = {}
        self.presets: dict[str, str] = {}
        self.interfaces: list[str] = []
        self.sources: list[str] = []
        self.unread: list[str] = []

    def tree(self) -> CMakeTree:
        waiting = [PurePosixPath(".")]
        while waiting and self.within_bounds:
            folder = waiting.pop()
            # Reversed, so that they are read in the order of their names.
            waiting += [folder / name for name in reversed(self.folder(folder))]
        if waiting:
            self.unread.append("the tree is large: not all of its directories were looked at")
        return CMakeTree(
            self.root,
            self.listings,
            self.modules,
            self.presets,
            tuple(self.interfaces),
            tuple(self.sources),
            tuple(self.unread),
        )

    @property
    def within_bounds(self) -> bool:
        return self.entries < MAX_ENTRIES and self.files < MAX_FILES and self.bytes < MAX_TOTAL

    def folder(self, folder: PurePosixPath) -> list[str]:
        """Read the files of one directory; returns the directories in it to look into."""
        try:
            with os.scandir(self.root / folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self.unread.append(f"{folder} cannot be read: {error.strerror}")
            return []
        self.entries += len(entries)
        names = {entry.name for entry in entries}
        if folder.parts and "CMakeCache.txt" in names:
            return []  # a build tree
        for name in sorted(names):
            self.file(folder, name)
        if len(folder.parts) >= MAX_DEPTH:
            return []
        return [
            entry.name
            for entry in entries
            if entry.is_dir(follow_symlinks=False) and not _of_others(entry.name)
        ]

    def file(self, folder: PurePosixPath, name: str) -> None:
        path = folder / name
        if not name.isprintable() or not self.within_bounds:
            return
        if name.endswith(SOURCES):
            if len(self.sources) < MAX_SOURCES:
                self.sources.append(str(path))
        elif name.endswith(".idl"):
            if name not in IDL_OF_SDK and (self.root / path).is_file():
                self.interfaces.append(str(path))
        elif name in (LISTING, PRESETS) or name.endswith(".cmake"):
            self.files += 1
            text = _text(self.root, path)
            self.bytes += len(text or "")
            if text is None:
                self.unread.append(f"{path} is no file of at most 256 KiB below this directory")
            elif name == PRESETS:
                self.presets[str(folder)] = text
            elif name == LISTING:
                self.listings[str(folder)] = tuple(commands(text))
            else:
                self.modules[str(path)] = tuple(commands(text))


def _of_others(name: str) -> bool:
    return (
        name.startswith((".", "build", "cmake-build"))
        or name.lower() in OTHERS
        or not name.isprintable()
    )


def _text(root: Path, path: PurePosixPath) -> str | None:
    """The file's text; None for what is no file, too large, or elsewhere through a link."""
    file = root / path
    try:
        real = file.resolve()
        if not real.is_relative_to(root) or not real.is_file():
            return None
        with real.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, RuntimeError):  # RuntimeError: links that go round
        return None
    if len(data) > MAX_BYTES:
        return None
    return data.decode("utf-8-sig", errors="replace").replace("\0", " ")
