"""The files that CMake writes into a build tree when it configures it.

They shape what is built: generated headers, the cache, the list of what CMake read.  Neither CMake
nor Ninja notices when another program changed one of them.  So a snapshot of them is recorded, and
the tree is deleted when one of them differs from it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from buildtool.core.file_stamp import Stamp
from buildtool.core.files import file_digest
from buildtool.drivers.cmake.tree_files import stamps
from buildtool.drivers.cmake.tree_record import RECORD_FILE, Snapshot

_INSTALL_DIRECTORY = "install.new"
_NOT_BY_CMAKE = (RECORD_FILE, ".ninja_log", ".ninja_deps", _INSTALL_DIRECTORY)
_REWRITTEN = ("CMakeFiles/", ".cmake/")  # CMake writes everything below these again


def all_stamps(tree: Path) -> Mapping[str, Stamp]:
    """The stamps of every file in the tree that CMake may have written."""
    names = []
    shift = len(str(tree)) + 1
    for folder, folders, files in os.walk(tree):
        prefix = f"{folder[shift:]}/" if len(folder) > shift else ""
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]  # noqa: PTH114
        # Git writes to its own directories even for commands that only read.
        skipped = {".git"} if prefix else {".git", _INSTALL_DIRECTORY}
        folders[:] = [name for name in folders if name not in skipped]
        names += [prefix + name for name in (*files, *links) if prefix + name not in _NOT_BY_CMAKE]
    return stamps(tree, names)


def snapshot_after_configure(
    tree: Path, before: Mapping[str, Stamp], known: Snapshot, started_ns: int
) -> Snapshot:
    """The generated files after a run of CMake that started at `started_ns`.

    These are the files that changed since `before` (`all_stamps`), and the remaining ones of the
    snapshot `known` from before the run.

    A file that CMake copied with an older mtime and other content gets the mtime of build.ninja:
    Ninja would take what was made from the former copy for newer than the new copy.
    """
    after = all_stamps(tree)
    names = {name for name, stamp in after.items() if before.get(name) != stamp}
    now = snapshot(tree, [*names, *(name for name in known if name not in names)], known)
    for name, (stamp, content) in now.items():
        if stamp[2] < started_ns and name in known and known[name][1] != content:
            with contextlib.suppress(OSError):
                configured = (tree / "build.ninja").stat().st_mtime_ns
                os.utime(tree / name, ns=(configured, configured), follow_symlinks=False)
    return snapshot(tree, list(now), now)


def snapshot(tree: Path, names: Collection[str], known: Snapshot) -> Snapshot:
    """The current stamp and content of those of the files `names` that exist; a file whose stamp
    is in `known` is not read again."""
    found: dict[str, tuple[Stamp, str]] = {}
    for name, stamp in stamps(tree, names).items():
        path = tree / name
        try:
            if name in known and known[name][0] == stamp:
                found[name] = known[name]
            elif path.is_symlink():
                found[name] = (stamp, str(path.readlink()))
            else:
                found[name] = (stamp, file_digest(path))
        except OSError:
            continue
    return found


def modified(tree: Path, known: Snapshot) -> set[str]:
    """The files of the snapshot that no longer exist or have another content."""
    now = snapshot(tree, list(known), known)
    return {name for name in known if name not in now or now[name][1] != known[name][1]}


def any_missing(tree: Path, names: Collection[str]) -> bool:
    """Whether CMake, which has just run, no longer writes one of the generated files `names`."""
    return any(not name.startswith(_REWRITTEN) and not (tree / name).exists() for name in names)
