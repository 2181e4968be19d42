"""What a step ships, put together in its output directory."""

from __future__ import annotations

import filecmp
import os
import shutil
import time
from pathlib import Path

from buildtool.build.plan import CMakeStep
from buildtool.build.tree import delete
from buildtool.core.errors import BuildtoolError


class ArtifactError(BuildtoolError):
    """A build succeeded but what it should have made is not there, or is not right."""

    code = "artifact"


def check_installed(step: CMakeStep, folder: Path) -> None:
    """What the install() rules put into `folder` can ship.

    Raises `ArtifactError` when that is nothing, or a link to nothing.
    """
    found = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    if not found:
        raise ArtifactError(
            f"{step.name} ships nothing",
            why="its install() rules put no file down",
            remedy="Add install(TARGETS …) to its CMakeLists.txt, or name 'artifacts' in"
            " buildtool.toml.",
        )
    for path in found:
        if not path.exists():
            raise ArtifactError(
                f"{step.name} ships {path.relative_to(folder)}, a link to nothing",
                why=f"it points to {path.readlink()}",
                remedy="Install what it points to as well.",
            )


def collect(step: CMakeStep, folder: Path) -> None:
    """Copy the files of the build tree that `artifacts` names into `folder`, side by side.

    Raises `ArtifactError` when a pattern matches nothing, or two files have one name.
    """
    found: dict[str, Path] = {}
    for pattern in step.artifacts:
        try:
            matches = [path for path in sorted(step.tree.glob(pattern)) if path.is_file()]
        except (ValueError, IndexError, NotImplementedError):
            matches = []  # no pattern at all, so nothing matches it
        if not matches:
            raise ArtifactError(
                f"{step.name} made no {pattern!r}",
                why=f"nothing below {step.tree} matches it",
                remedy="Correct 'artifacts' in buildtool.toml, or the CMake target that makes it.",
            )
        for path in matches:
            if found.setdefault(path.name, path) != path:
                raise ArtifactError(
                    f"{step.name} has two artifacts called {path.name}",
                    why=f"{found[path.name]} and {path}",
                    remedy="Name one of them only in 'artifacts'.",
                )
    if not found:
        raise ArtifactError(
            f"{step.name} ships nothing",
            why="its install() rules do not count (install = false), and it names no 'artifacts'",
            remedy="Name 'artifacts' in buildtool.toml.",
        )
    for name, path in found.items():
        shutil.copy(path, folder / name)


def renew(fresh: Path, output: Path) -> None:
    """Give the files in `fresh` the time of those in `output` where they are the same, else now.

    CMake copies files with the times of their sources: what was made before of an older copy would
    seem newer than the copy.
    """
    for path in fresh.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        old = output / path.relative_to(fresh)
        same = old.is_file() and filecmp.cmp(old, path, shallow=False)
        moment = old.stat().st_mtime_ns if same else time.time_ns()
        os.utime(path, ns=(moment, moment))


def take_place(fresh: Path, output: Path) -> None:
    """Let `fresh` be the output directory from now on."""
    delete(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh.rename(output)
