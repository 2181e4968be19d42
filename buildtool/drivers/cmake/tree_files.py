"""Files of a build tree: the names of this tool's own files, stamps, deletion."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from buildtool.core.file_stamp import Stamp, stamp_of
from buildtool.core.trees import remove_tree

FINGERPRINT = "configured.json"
"""The fingerprint of the last configuration; CMake runs again when this file is missing."""
TRACE, INSTALL_TRACE = "configure.trace.json", "install.trace.json"
"""The traces of CMake and of its install script."""
TOOLCHAIN = "toolchain.cmake"
"""The CMake toolchain file of the profile."""
TRY_RUN_RESULTS = "TryRunResults.cmake"
"""CMake creates it when it asks for the results of programs that only a device can run."""
STL_FOLDER = "buildtool_stl"
"""Where cmake/shared_stl.cmake makes the shared C++ library."""
BUILT = "built.json"
"""The digest of the build that the tree is in the state of (`RecordedBuild.build_digest`); missing
when that is not known."""

GLOBS = "CMakeFiles/VerifyGlobs.cmake"
"""The script with which Ninja decides to run CMake because of a glob."""
_OWN_NAMES = frozenset(
    {
        *(FINGERPRINT, TRACE, INSTALL_TRACE, TOOLCHAIN, TRY_RUN_RESULTS, BUILT),
        *("buildtool-tree.json", "runpaths.cmake", "install_manifest.txt", "CMakeCache.txt"),
        *(".ninja_log", ".ninja_deps", ".ninja_lock"),
    }
)
_OWN_DIRECTORIES = (
    *("CMakeFiles/", ".cmake/", "Testing/"),
    *("install.new/", "artifacts.new/", "destdir.new/"),
)


def is_own(name: str) -> bool:
    """Whether the file `name` of a tree is one that this tool, CMake, Ninja or CTest keeps there
    for itself."""
    return name in _OWN_NAMES or name.startswith(_OWN_DIRECTORIES)


def stamps(tree: Path, names: Iterable[str]) -> dict[str, Stamp]:
    """The stamps of those of `names`, relative to `tree`, that are files or links."""
    found = {}
    for name in names:
        try:
            status = os.lstat(tree / name)
        except (OSError, ValueError):
            continue
        if not stat.S_ISDIR(status.st_mode):
            found[name] = stamp_of(status)
    return found


def delete_files(tree: Path, names: Iterable[str]) -> bool:
    """Delete the files and symlinks `names`, relative to `tree`.

    Never deletes anything outside of the tree: returns false when one of the files lies there.
    """
    all_inside = True
    for name in names:
        path = tree / name
        if path.is_symlink() or path.is_file():
            if _is_inside(path, tree):
                path.unlink()
            else:
                all_inside = False
    return all_inside


def delete(path: Path) -> None:
    """Delete a file, a symlink or a directory, if it exists."""
    if path.is_dir() and not path.is_symlink():
        # Rename the directory first: an interrupted deletion must not leave half of it in place.
        trash = path.with_name(f".{path.name}.gone")
        remove_tree(trash)
        path.rename(trash)
        remove_tree(trash)
    else:
        remove_tree(path)


def _is_inside(path: Path, tree: Path) -> bool:
    """Whether `path` lies in `tree`, also after symlinks are resolved."""
    if not Path(os.path.normpath(path)).is_relative_to(tree):
        return False
    return Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(tree))
