"""What a step ships, put together in its output directory."""

from __future__ import annotations

import contextlib
import filecmp
import os
import shutil
import stat
import time
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.plan.plan import CMakeStep

UMASK = 0o022
"""What tools run with that make what ships: whoever builds, it gets the same permissions."""
_SPECIAL = {stat.S_ISUID: "setuid", stat.S_ISGID: "setgid", stat.S_ISVTX: "sticky"}


class ArtifactError(BuildtoolError):
    """A build succeeded but what it should have made is not there, or is not right."""

    code = "artifact"


def check_installed(step: CMakeStep, folder: Path) -> None:
    """What was put into `folder` can ship.

    Raises `ArtifactError` when that is nothing, or a link to nothing.
    """
    found = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    if not found:
        raise ArtifactError(
            f"{step.name} ships nothing",
            why="its install() rules put no file down, and it names no 'artifacts'"
            if step.install
            else "its install() rules do not run (install = false), and it names no 'artifacts'",
            remedy="Name 'artifacts' in buildtool.toml"
            + (", or add install(TARGETS …) to its CMakeLists.txt." if step.install else "."),
        )
    for path in found:
        if not path.exists():
            raise ArtifactError(
                f"{step.name} ships {path.relative_to(folder)}, a link to nothing",
                why=f"it points to {path.readlink()}",
                remedy="Install what it points to as well.",
            )


def copy_artifacts(step: CMakeStep, folder: Path) -> None:
    """Copy the files of the build tree that `artifacts` names into `folder`, side by side.

    Raises `ArtifactError` when a pattern matches nothing, or two files have one name.
    """
    found: dict[str, Path] = {}
    for pattern in step.artifacts:
        try:
            matches = [path for path in sorted(step.tree.glob(pattern)) if path.is_file()]
        except (ValueError, IndexError, NotImplementedError):
            matches = []  # `glob` takes no such pattern; NotImplementedError: it is absolute
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
    for name, path in found.items():
        shutil.copy(path, folder / name)


def normalize_modes(step: CMakeStep, folder: Path) -> None:
    """Give every file below `folder` mode 0755 if its owner may run it, else 0644, and every
    directory 0755: a release keeps no other permissions, and a restored output has these.

    Raises `ArtifactError` for a file or directory that not everybody may read, as it would become
    readable, and for a file with setuid, setgid or sticky bit, which it would lose.
    """
    waiting = [folder]
    while waiting:
        directory = waiting.pop()
        directory.chmod(0o755)
        for path in sorted(directory.iterdir()):
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                _check_mode(step, path.relative_to(folder), mode, 0o005)
                waiting.append(path)
            elif stat.S_ISREG(mode):
                _check_mode(step, path.relative_to(folder), mode, 0o004)
                path.chmod(0o755 if mode & 0o100 else 0o644)


def _check_mode(step: CMakeStep, name: Path, mode: int, wanted: int) -> None:
    # A directory inherits setgid from the one that it is made in.
    special = [word for bit, word in _SPECIAL.items() if mode & bit and stat.S_ISREG(mode)]
    if not special and mode & wanted == wanted:
        return
    how = " and ".join(special)
    raise ArtifactError(
        f"{step.name} ships {name} with mode {stat.S_IMODE(mode):04o}"
        + (f", which is {how}" if special else ", which not everybody may read"),
        why="what ships has mode 0755 or 0644, and caches and devices keep no other:"
        + (" it would lose its special permission" if special else " it would become readable"),
        remedy="Install it with other PERMISSIONS. With USE_SOURCE_PERMISSIONS, and for a file that"
        " was copied into the build tree, change those of the source: chmod o+r."
        if not special
        else "Install it with other PERMISSIONS.",
    )


def add_artifacts(step: CMakeStep, copied: Path, folder: Path) -> None:
    """Move the files below `copied` into `folder`, beside what the install() rules put there.

    Raises `ArtifactError` when these put another file in the place of one.
    """
    for path in sorted(copied.rglob("*")):
        if path.is_dir():
            continue
        name = path.relative_to(copied)
        place = folder / name
        if place.exists() and not filecmp.cmp(place, path, shallow=False):
            raise ArtifactError(
                f"{step.name} has two files called {name}",
                why="its install() rules put one down, and 'artifacts' names another",
                remedy=f"Leave {name} out of 'artifacts', or the rules: install = false.",
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


def preserve_mtimes(fresh: Path, output: Path) -> None:
    """Give the files in `fresh` the time of those in `output` where they are the same, else now.

    CMake copies files with the times of their sources: what was made before of an older copy would
    seem newer than the copy.
    """
    for path in fresh.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        old = output / path.relative_to(fresh)
        moment = time.time_ns()
        with contextlib.suppress(OSError):  # of an old one that cannot be read
            if old.is_file() and filecmp.cmp(old, path, shallow=False):
                moment = old.stat().st_mtime_ns
        os.utime(path, ns=(moment, moment))
