"""Remove files of the wrong kind from a build tree before CMake and Ninja run in it.

They fail on a directory in place of a file, block forever on a named pipe, and write through a
symlink to wherever it points.  What is removed counts as missing, and is made again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.file_stamp import Stamp, stamp_of
from buildtool.core.own_directory import lacks_mode, make_directory, repair_file
from buildtool.drivers.cmake.tree_files import FINGERPRINT, INSTALL_TRACE, TOOLCHAIN, TRACE
from buildtool.drivers.cmake.tree_record import RECORD_FILE, TreeRecord, read_tree_record

_FILES = (  # that this tool, CMake and Ninja write into every tree
    *(RECORD_FILE, FINGERPRINT, TRACE, INSTALL_TRACE, TOOLCHAIN),
    *(".ninja_log", ".ninja_deps", "build.ninja", "CMakeCache.txt", "cmake_install.cmake"),
    *("compile_commands.json", "install_manifest.txt"),
)
_DIRECTORIES = ("CMakeFiles", ".cmake/api/v1/query/client-buildtool", ".cmake/api/v1/reply")
_OBJECT_SUFFIXES = (".o", ".obj")


def repair(tree: Path) -> TreeRecord | None:
    """Remove from `tree` whatever is not of the kind that a build left; returns the record of the
    tree, if it has one.

    Raises `OSError` for what cannot be removed.
    """
    make_directory(tree.parent)
    if not os.path.lexists(tree):
        return None
    for folder in (tree, *(tree / name for name in _DIRECTORIES)):
        if os.path.lexists(folder):
            make_directory(folder)
    for name in _FILES:
        repair_file(tree / name)
    record = read_tree_record(tree)
    if record:
        recorded = _recorded_files(tree, record)
        _repair_directories(tree, recorded)
        _repair_files(tree, recorded)
    return record


def _recorded_files(tree: Path, record: TreeRecord) -> dict[str, Stamp]:
    """The recorded files by their paths relative to the tree, without those that rules make outside
    of the tree: these may belong to the user."""
    prefix = f"{tree}/"
    products = {name.removeprefix(prefix): stamp for name, stamp in record.products.items()}
    generated = {name: stamp for name, (stamp, _) in record.generated_files.items()}
    return {
        name: stamp
        for name, stamp in {**generated, **products}.items()
        if not name.startswith("/") and ".." not in name.split("/")
    }


def _repair_directories(tree: Path, recorded: Mapping[str, Stamp]) -> None:
    """Make each directory above a recorded file a directory again, unless the build itself made it
    a symlink."""
    folders: set[str] = set()
    for name in recorded:
        while (name := name.rpartition("/")[0]) and name not in folders:
            folders.add(name)
    below_symlink = "\0"
    for folder in sorted(folders):
        if folder.startswith(below_symlink):
            continue
        try:
            status = os.lstat(f"{tree}/{folder}")
        except OSError:
            continue
        if stat.S_ISLNK(status.st_mode) and recorded.get(folder) == stamp_of(status):
            below_symlink = f"{folder}/"
        elif not stat.S_ISDIR(status.st_mode) or lacks_mode(status, 0o700):
            make_directory(tree / folder)


def _repair_files(tree: Path, recorded: Mapping[str, Stamp]) -> None:
    """Remove what is neither a file nor a symlink nor the recorded directory; also in place of the
    dependency file of an object, which the compiler writes."""
    for name, stamp in recorded.items():
        file_type, inode = _type_and_inode(f"{tree}/{name}")
        is_recorded = file_type == stat.S_IFDIR and inode == stamp[0]
        if file_type not in (0, stat.S_IFREG, stat.S_IFLNK) and not is_recorded:
            repair_file(tree / name)
        depfile = f"{name}.d"
        if name.endswith(_OBJECT_SUFFIXES) and _type_and_inode(f"{tree}/{depfile}")[0] not in (
            0,
            stat.S_IFREG,
        ):
            repair_file(tree / depfile)


def _type_and_inode(path: str) -> tuple[int, int]:
    """The file type of `path`, 0 if it does not exist, and its inode."""
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0
    return stat.S_IFMT(status.st_mode), status.st_ino
