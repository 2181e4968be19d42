"""The files that a step ships: collecting them, and checks that apply to all of them."""

from __future__ import annotations

import contextlib
import filecmp
import glob
import os
import shutil
import stat
import time
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.drivers.cmake.file_api import LIBRARIES, LINKED, read_build_tree
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import CMakeStep, Step

_SPECIAL_BITS = {stat.S_ISUID: "setuid", stat.S_ISGID: "setgid", stat.S_ISVTX: "sticky"}


class ArtifactError(BuildtoolError):
    """A build succeeded, but what it should ship is missing or cannot ship."""

    code = "artifact"


def check_installed(step: Step, folder: Path) -> None:
    """Raise `ArtifactError` if `folder` contains no files, or a dangling symlink."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    if not found:
        if isinstance(step, FilesStep):
            raise ArtifactError(
                f"{step.name} ships nothing",
                why=f"the directory {step.folder!r} has no files",
                remedy="Put files there, or remove the component.",
            )
        raise ArtifactError(
            f"{step.name} ships nothing",
            why="its install() rules install no file, and it names no 'artifacts'"
            if step.install
            else "its install() rules do not run (install = false), and its targets link no "
            + ("program and no shared library" if _links_programs(step) else "shared library"),
            remedy="Name 'artifacts' in buildtool.toml"
            + (", or add install(TARGETS …) to its CMakeLists.txt." if step.install else "."),
        )
    for path in found:
        if not path.exists():
            raise ArtifactError(
                f"{step.name} ships {path.relative_to(folder)}, a link to nothing",
                why=f"it points to {path.readlink()}",
                remedy="Ship the file that it points to as well.",
            )


def copy_artifacts(step: CMakeStep, folder: Path) -> None:
    """Copy the files of the build tree that match `artifacts` into `folder`, without directories;
    without `artifacts`, what its targets link if no install() rules run or it has programs for the
    DSP.

    Raises `ArtifactError` if a pattern matches nothing, or two files have the same name.
    """
    found: dict[str, Path] = {}
    wanted = [(pattern, _matches(step, pattern)) for pattern in step.artifacts]
    if not step.artifacts and (step.programs or not step.install):
        wanted = [(path.name, [path]) for path in _linked(step)]
    for pattern, matches in wanted:
        if not matches:
            raise ArtifactError(
                f"{step.name} made no {pattern!r}",
                why=f"no file below {step.tree} matches it",
                remedy="Correct 'artifacts' in buildtool.toml, or the CMake target that makes it.",
            )
        for path in matches:
            if found.setdefault(path.name, path) != path:
                raise ArtifactError(
                    f"{step.name} has two artifacts called {path.name}",
                    why=f"{found[path.name]} and {path}",
                    remedy="Name only one of them in 'artifacts'.",
                )
    for name, path in found.items():
        shutil.copy(path, folder / name)


def _matches(step: CMakeStep, pattern: str) -> list[Path]:
    """The files of the tree that match; programs for the DSP also without their `.so`."""
    found: list[Path] = []
    with contextlib.suppress(ValueError, IndexError, NotImplementedError):  # an invalid pattern
        found = [path for path in sorted(step.tree.glob(pattern)) if path.is_file()]
    if not found and step.programs and not pattern.endswith(".so"):
        return _matches(step, f"{pattern}.so")
    return found


def _links_programs(step: CMakeStep) -> bool:
    return step.programs or not step.arch


def _linked(step: CMakeStep) -> list[Path]:
    """What the tree has linked: shared libraries, by all their names, and programs."""
    kinds = LINKED if _links_programs(step) else LIBRARIES
    made = [
        target.artifacts[0] for target in read_build_tree(step.tree).targets if target.kind in kinds
    ]
    inside = [path for path in made if path.is_relative_to(step.tree)]
    names = [
        name
        for path in inside
        for name in (path, *sorted(path.parent.glob(f"{glob.escape(path.name)}.*")))
        if path.suffix == ".so" or name == path
    ]
    return [path for path in names if path.is_file()]


def normalize_modes(step: Step, folder: Path) -> None:
    """Give every file below `folder` mode 0755 if its owner may execute it, else 0644, and every
    directory 0755: releases and caches keep no other permissions.

    Raises `ArtifactError` for a file or directory that is not world-readable, because it would
    become so, and for a file with a setuid, setgid or sticky bit, because it would lose it.
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


def _check_mode(step: Step, name: Path, mode: int, required: int) -> None:
    # A directory inherits the setgid bit from its parent, so it does not matter there.
    special = [word for bit, word in _SPECIAL_BITS.items() if mode & bit and stat.S_ISREG(mode)]
    if not special and mode & required == required:
        return
    raise ArtifactError(
        f"{step.name} ships {name} with mode {stat.S_IMODE(mode):04o}"
        + (
            f", which is {' and '.join(special)}"
            if special
            else ", which is not readable for all users"
        ),
        why="what ships has mode 0755 or 0644, because caches and devices keep no other mode:"
        + (" it would lose its special permission" if special else " it would become readable"),
        remedy="Change its permissions: chmod 0644, or 0755 for a program."
        if isinstance(step, FilesStep)
        else "Install it with other PERMISSIONS. With USE_SOURCE_PERMISSIONS, and for a file that"
        " is copied into the build tree, change the permissions of the source: chmod o+r."
        if not special
        else "Install it with other PERMISSIONS.",
    )


def add_artifacts(step: CMakeStep, copied: Path, folder: Path) -> None:
    """Move the files below `copied` into `folder`, beside those that install() rules installed.

    Raises `ArtifactError` if they installed another file with the same path.
    """
    for path in sorted(copied.rglob("*")):
        if path.is_dir():
            continue
        name = path.relative_to(copied)
        target = folder / name
        if target.exists() and not filecmp.cmp(target, path, shallow=False):
            raise ArtifactError(
                f"{step.name} has two files called {name}",
                why="its install() rules install one, and 'artifacts' names another",
                remedy=f"Remove {name} from 'artifacts', or do not run the rules: install = false.",
            )
        if not target.parent.is_dir():
            target.parent.mkdir()
            target.parent.chmod(0o755)  # whatever the umask is
        path.replace(target)


def preserve_mtimes(fresh: Path, output: Path) -> None:
    """Set the mtime of each file in `fresh`: that of the file in `output` if it has the same
    content, else the current time.

    CMake copies files with the mtimes of their sources.  A changed copy may then be older than
    what was made of the former copy, and Ninja would not notice it.
    """
    for path in fresh.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        old = output / path.relative_to(fresh)
        mtime = time.time_ns()
        with contextlib.suppress(OSError):  # the old file cannot be read
            if old.is_file() and filecmp.cmp(old, path, shallow=False):
                mtime = old.stat().st_mtime_ns
        os.utime(path, ns=(mtime, mtime))
