"""The frame of a build tree: the files in it that CMake wrote when it configured it.

They shape what is built, but neither CMake nor Ninja notices when one is not as it was written: a
generated header, the cache, the list of what CMake read.  So they are noted, and CMake is run again
when one of them differs.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from buildtool.core.file_stamp import Stamp
from buildtool.core.files import file_digest, read_regular
from buildtool.drivers.cmake.build_tree import NOTE, Snapshot, stamps

NINJA_DEPS = ".ninja_deps"
_NOT_CMAKES = (NOTE, ".ninja_log", NINJA_DEPS, "install.new")
_PRIVATE = ("CMakeFiles/", ".cmake/")  # CMake writes all of it anew
_GRAPH = ("build.ninja", "CMakeFiles/rules.ninja", ".cmake/api/v1/reply/")
_INDEX = ".cmake/api/v1/reply/index-"  # called otherwise by each run of CMake


def all_stamps(tree: Path) -> Mapping[str, Stamp]:
    """The stamps of everything in the tree that CMake may have written."""
    names = []
    shift = len(str(tree)) + 1
    for folder, folders, files in os.walk(tree):
        prefix = f"{folder[shift:]}/" if len(folder) > shift else ""
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]  # noqa: PTH114
        # Git writes to its own folders when somebody only looks.
        folders[:] = [name for name in folders if name != ".git" and prefix + name != "install.new"]
        names += [prefix + name for name in (*files, *links) if prefix + name not in _NOT_CMAKES]
    return stamps(tree, names)


def snapshot_after_configure(
    tree: Path, before: Mapping[str, Stamp], known: Snapshot, begun: int
) -> Snapshot:
    """The frame after CMake has run that `begun` then (ns): what it has written since `before`
    (`all_stamps`), and what is left of the frame that was `known` until then.

    What it has copied with an older time stamp gets that of Ninja's file: what was made of a copy
    of before would seem newer.
    """
    after = all_stamps(tree)
    names = {name for name, stamp in after.items() if before.get(name) != stamp}
    frame = snapshot(tree, [*names, *(name for name in known if name not in names)], known)
    for name, (stamp, content) in frame.items():
        if stamp[2] < begun and name in known and known[name][1] != content:
            with contextlib.suppress(OSError):
                configured = (tree / _GRAPH[0]).stat().st_mtime_ns
                os.utime(tree / name, ns=(configured, configured), follow_symlinks=False)
    return snapshot(tree, list(frame), frame)


def snapshot(tree: Path, names: Collection[str], known: Snapshot) -> Snapshot:
    """Those of `names` that are there as they are now; what has a stamp that is `known` is not
    read again."""
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


def modified(tree: Path, frame: Snapshot) -> set[str]:
    """The files of the frame that are gone, or not as they were."""
    now = snapshot(tree, list(frame), frame)
    return {name for name in frame if name not in now or now[name][1] != frame[name][1]}


def defines_graph(names: Collection[str]) -> bool:
    """Whether one of the files tells what depends on what."""
    return any(name.startswith(_GRAPH) and not name.startswith(_INDEX) for name in names)


def any_missing(tree: Path, names: Collection[str]) -> bool:
    """Whether one of these files of the frame is missing after CMake has run once more."""
    return any(not name.startswith(_PRIVATE) and not (tree / name).exists() for name in names)


def deps_digest(tree: Path, size: int | None = None) -> tuple[int, str]:
    """The size and sha256 of the file in which Ninja keeps what headers there are, or of its first
    `size` bytes: Ninja only appends to it."""
    try:
        data = read_regular(tree / NINJA_DEPS, -1 if size is None else size)
    except OSError:
        return 0, ""
    return len(data), hashlib.sha256(data).hexdigest()
