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
    tree: Path, known: Snapshot, started_ns: int, regenerated: Collection[str]
) -> Snapshot:
    """The files in a new tree after a run of CMake that started at `started_ns`.

    `known` is the snapshot of the former tree.  A file with the content that it had there gets its
    mtime, so that Ninja keeps what was made of it, unless it is one of those, `regenerated`, that
    tell Ninja when CMake ran.  A file that CMake copied with an older mtime and other content gets
    the mtime of build.ninja: Ninja would take what was made from the former copy for newer than the
    new copy.
    """
    now = snapshot(tree, list(all_stamps(tree)), known)
    for name, (stamp, content) in now.items():
        if name not in known or str(tree / name) in regenerated:
            continue
        with contextlib.suppress(OSError):
            if content == known[name][1]:
                mtime = known[name][0][2]
            elif stamp[2] < started_ns:
                mtime = (tree / "build.ninja").stat().st_mtime_ns
            else:
                continue
            os.utime(tree / name, ns=(mtime, mtime), follow_symlinks=False)
    return {name: (stamp, now[name][1]) for name, stamp in stamps(tree, now).items()}


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
