"""Remove what builds made in a project."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from buildtool.core.history import DIRECTORY as HISTORY
from buildtool.core.trees import IGNORE_FILE, make_directory, remove_tree
from buildtool.core.value import Described
from buildtool.plan.plan import CONAN, DEBIAN, Plan

EXPENSIVE = (CONAN, DEBIAN, "device", "bench", HISTORY)
"""Directories that are slow to recreate: packages that Conan or apt fetched, emulated devices,
results of benches, and the history, which nothing recreates."""
TRASH = "trash"


class Removed(Described):
    """What was removed."""

    removed: Annotated[tuple[Path, ...], "paths that were removed"]
    bytes: Annotated[int, "what they took on the disk"]


def everything(state: Path, *, include_expensive: bool = False) -> list[Path]:
    """All that a build makes again in the project's state directory; with `include_expensive` also
    what is slow to recreate.  Lock files stay: another process may wait for one."""
    kept = (IGNORE_FILE,) if include_expensive else (IGNORE_FILE, *EXPENSIVE)
    return [
        path
        for path in (sorted(state.iterdir()) if state.is_dir() else ())
        if path.name not in kept and path.suffix != ".lock"
    ]


def of_target(plan: Plan) -> list[Path]:
    """The build trees, outputs and release of one target, also those that another target shares."""
    found = [plan.release, plan.releases, plan.debug]
    for step in plan.steps:
        found += step.directories
    return [path for path in dict.fromkeys(found) if os.path.lexists(path)]


def remove(state: Path, paths: Iterable[Path]) -> Removed:
    """Remove `paths`, which are below `state`; of a link, only the link.

    Each is renamed into a trash directory first, so that a process that is killed here leaves no
    partial tree where a build looks for one.
    """
    trash = state / TRASH
    if os.path.lexists(trash):
        make_directory(trash)
    size = 0
    removed = []
    for number, path in enumerate(paths):
        make_directory(path.parent)  # a link there may lead out of the project
        if not os.path.lexists(path):
            continue
        size += _size(path)
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        elif path != trash:
            trash.mkdir(exist_ok=True)
            path.rename(_free(trash, number))
        removed.append(path)
    remove_tree(trash)
    return Removed(tuple(removed), size)


def _free(folder: Path, number: int) -> Path:
    while os.path.lexists(folder / str(number)):
        number += 1000
    return folder / str(number)


def _size(path: Path) -> int:
    """The size on disk, in bytes, of a file or of everything below a directory."""
    files = [path]
    for folder, names, others in os.walk(path) if not path.is_symlink() else ():
        files += [Path(folder, name) for name in (*names, *others)]
    return sum(file.lstat().st_blocks * 512 for file in files)
