"""Bring a build tree to where tools can work in it: what is of the wrong kind is removed.

CMake, Ninja and compilers fail on a directory in place of a file, wait for ever for a named pipe,
and write through a link to wherever it leads.  What is removed counts as missing and is made again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.file_stamp import Stamp, stamp_of
from buildtool.core.own_directory import lacks_mode, make_directory, repair_file
from buildtool.drivers.cmake.build_tree import NOTE, TreeNote, read_note

STAMP = "configured.json"
"""What CMake was last told; without it, it is run again."""
TRACE, INSTALL_TRACE = "configure.trace.json", "install.trace.json"
"""What CMake, and its install script, told of what they read."""
TOOLCHAIN = "toolchain.cmake"
_FILES = (  # that this tool, CMake and Ninja write in every tree
    *(NOTE, STAMP, TRACE, INSTALL_TRACE, TOOLCHAIN, ".ninja_log", ".ninja_deps", "build.ninja"),
    *("CMakeCache.txt", "cmake_install.cmake", "compile_commands.json", "install_manifest.txt"),
)
_OBJECTS = (".o", ".obj")
_FOLDERS = ("CMakeFiles", ".cmake/api/v1/query/client-buildtool", ".cmake/api/v1/reply")


def mend(tree: Path) -> TreeNote | None:
    """Remove from `tree` what is not of the kind that it was; returns the tree's note, if any.

    Raises `OSError` for what cannot be removed.
    """
    make_directory(tree.parent)
    if not os.path.lexists(tree):
        return None
    for folder in (tree, *(tree / name for name in _FOLDERS)):
        if os.path.lexists(folder):
            make_directory(folder)
    for name in _FILES:
        repair_file(tree / name)
    note = read_note(tree)
    if note:
        known = _inside(tree, note)
        _mend_folders(tree, known)
        _mend_files(tree, known)
    return note


def _inside(tree: Path, note: TreeNote) -> dict[str, Stamp]:
    """The files of the note by their paths below the tree; what Ninja makes elsewhere is not the
    tool's own."""
    prefix = f"{tree}/"
    products = {name.removeprefix(prefix): stamp for name, stamp in note.products.items()}
    generated = {name: stamp for name, (stamp, _) in note.generated.items()}
    return {
        name: stamp
        for name, stamp in {**generated, **products}.items()
        if not name.startswith("/") and ".." not in name.split("/")
    }


def _mend_folders(tree: Path, known: Mapping[str, Stamp]) -> None:
    """Each directory that a known file is in is one, or a link that the build itself made."""
    folders: set[str] = set()
    for name in known:
        while (name := name.rpartition("/")[0]) and name not in folders:
            folders.add(name)
    elsewhere = "\0"
    for folder in sorted(folders):
        if folder.startswith(elsewhere):
            continue
        try:
            status = os.lstat(f"{tree}/{folder}")
        except OSError:
            continue
        if stat.S_ISLNK(status.st_mode) and known.get(folder) == stamp_of(status):
            elsewhere = f"{folder}/"
        elif not stat.S_ISDIR(status.st_mode) or lacks_mode(status, 0o700):
            make_directory(tree / folder)


def _mend_files(tree: Path, known: Mapping[str, Stamp]) -> None:
    """Each known file is one, or a link, which can be deleted; or the directory that it was.  The
    dependency file of an object, which compilers write, is a file."""
    for name, stamp in known.items():
        mode, inode = _kind(f"{tree}/{name}")
        is_same = mode == stat.S_IFDIR and inode == stamp[0]
        if mode not in (0, stat.S_IFREG, stat.S_IFLNK) and not is_same:
            repair_file(tree / name)
        if name.endswith(_OBJECTS) and _kind(f"{tree}/{name}.d")[0] not in (0, stat.S_IFREG):
            repair_file(tree / f"{name}.d")


def _kind(path: str) -> tuple[int, int]:
    """The kind of what is there, 0 for nothing, and its inode."""
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0
    return stat.S_IFMT(status.st_mode), status.st_ino
