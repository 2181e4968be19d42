"""Remove what builds have made in a project."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from buildtool.core.own import make_directory
from buildtool.core.own import remove as remove_any
from buildtool.drivers.conan.home import HOME
from buildtool.plan.plan import Plan

DEAR = (HOME, "device")
"""Packages that Conan fetched and built, emulated devices."""
GOING = "going"


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed: the paths, and what it took on the disk, in bytes."""

    paths: tuple[Path, ...]
    size: int

    def as_json(self) -> dict[str, object]:
        return {"removed": [str(path) for path in self.paths], "bytes": self.size}


def everything(state: Path, *, dear: bool = False) -> list[Path]:
    """All in the project's state directory that another build makes again; with `dear` also what
    takes it long.  Locks stay: somebody may wait for one."""
    kept = () if dear else DEAR
    return [
        path
        for path in (sorted(state.iterdir()) if state.is_dir() else ())
        if path.name not in kept and path.suffix != ".lock"
    ]


def of_target(plan: Plan) -> list[Path]:
    """The build trees, outputs and stage of one target.  What another target shares goes too."""
    found = [plan.stage]
    for step in plan.steps:
        found += [step.tree, step.packages, step.output]
    return [path for path in dict.fromkeys(found) if os.path.lexists(path)]


def remove(state: Path, paths: Iterable[Path]) -> Removed:
    """Remove `paths`, all below `state`.  Of a link the link goes, not what it points to.

    They are moved away first: who is killed here leaves no half a tree where a build looks.
    """
    going = state / GOING
    if os.path.lexists(going):
        make_directory(going)
    size = 0
    removed = []
    for number, path in enumerate(paths):
        make_directory(path.parent)  # a link there would lead to what is not ours
        if not os.path.lexists(path):
            continue
        size += _size(path)
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        elif path != going:
            going.mkdir(exist_ok=True)
            path.rename(_free(going, number))
        removed.append(path)
    remove_any(going)
    return Removed(tuple(removed), size)


def _free(folder: Path, number: int) -> Path:
    while os.path.lexists(folder / str(number)):
        number += 1000
    return folder / str(number)


def _size(path: Path) -> int:
    """Bytes on the disk of a file or of all below a directory."""
    files = [path]
    for folder, names, others in os.walk(path) if not path.is_symlink() else ():
        files += [Path(folder, name) for name in (*names, *others)]
    return sum(file.lstat().st_blocks * 512 for file in files)
