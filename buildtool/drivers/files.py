"""Fills the output directory of a step with prebuilt files.

`files` go to lib/ or bin/ as artifacts do, a tree keeps its layout, and skels are in one directory.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.files import time_between_changes
from buildtool.core.trees import make_directory, remove_tree, replace_directory
from buildtool.drivers.cmake.products import (
    ArtifactError,
    check_installed,
    normalize_modes,
    preserve_mtimes,
)
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import matches
from buildtool.inputs.path_sets import PathSet, ReadInputs, changed_since, observe
from buildtool.plan.component_step import FilesStep
from buildtool.project.keys import HEXAGON_ARCHS

Places = dict[str, Path]
"""The files and links of a step by their path in its output directory."""


def copy_files(step: FilesStep, file_states: FileStates) -> ReadInputs:
    """Replace the output directory of the step by copies of its files; returns what was read.

    Raises `ArtifactError` for files that are missing or that cannot ship.
    """
    started_ns = time_between_changes()
    places = _places(step, file_states)
    paths = PathSet.of(
        [step.roots.name_of(path) for path in places.values() if path.is_file()],
        globs=step.globs,
    )
    inputs = observe(paths, step.roots, file_states)
    fresh = step.fresh_output
    make_directory(fresh.parent)
    remove_tree(fresh)  # that of a process that was killed
    fresh.mkdir()
    by_path = _by_path(places)
    try:
        for place, path in places.items():
            _copy(step, by_path, place, path, fresh)
        for folder, _, _ in os.walk(fresh):
            os.chmod(folder, 0o755)  # noqa: PTH101 - regardless of the umask
        check_installed(step, fresh)
        normalize_modes(step, fresh)
        preserve_mtimes(fresh, step.output)
        replace_directory(fresh, step.output)
    except BaseException:
        remove_tree(fresh, ignore_errors=True)
        raise
    return ReadInputs(inputs, changed_since(paths, step.roots, started_ns), ())


def _places(step: FilesStep, file_states: FileStates) -> Places:
    """Raises `ArtifactError` for a pattern without a match, and for two files with one path."""
    places: Places = {}
    for pattern, glob in zip(step.files, step.globs, strict=False):  # the tree's glob is the last
        names = matches(glob, step.roots, file_states)
        if not names:
            raise _missing(step, pattern, file_states)
        for name in names:
            path = Path(step.roots.path_of(name))
            _add(step, places, _place(step, path), path)
    for path in step.paths_in_folder():
        _add(step, places, path.relative_to(step.root / step.folder).as_posix(), path)
    return places


def _place(step: FilesStep, path: Path) -> str:
    if step.arch:
        return path.name
    return f"lib/{path.name}" if ".so" in path.suffixes else f"bin/{path.name}"


def _add(step: FilesStep, places: Places, place: str, path: Path) -> None:
    other = places.setdefault(place, path)
    if other != path:
        raise ArtifactError(
            f"{step.name} has two files called {place}",
            why=f"{other} and {path}",
            remedy="Name only one of them in 'files', or give one of them another name.",
        )


def _by_path(places: Places) -> Mapping[Path, str]:
    """The paths in the output directory by the paths of the files, as named and without links to
    directories in them."""
    folders = {path.parent for path in places.values()}
    real = {folder: Path(os.path.realpath(folder)) for folder in folders}
    found: dict[Path, str] = {}
    for place, path in places.items():
        found.setdefault(path, place)
        found.setdefault(real[path.parent] / path.name, place)
    return found


def _copy(step: FilesStep, by_path: Mapping[Path, str], place: str, path: Path, top: Path) -> None:
    """Copy one file; a link to another file of the step, or to a directory of it, stays a link."""
    fresh = top / place
    fresh.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() and (target := _target(step, by_path, place, path)):
        fresh.symlink_to(posixpath.relpath(f"/{target}", f"/{posixpath.dirname(place)}"))
    elif path.is_file():
        try:
            shutil.copy(path, fresh)
        except OSError as error:
            raise ArtifactError(
                f"{path} cannot be copied", why=str(error.strerror), remedy="Make it readable."
            ) from error
    else:
        raise ArtifactError(
            f"{step.name} cannot ship {path.relative_to(step.root)}",
            why=f"it is a link to {path.readlink()}, which is no file of the component"
            if path.is_symlink()
            else "it is a device, a socket or a pipe",
            remedy="Add the file that it points to, or remove the link."
            if path.is_symlink()
            else "Remove it.",
        )


def _target(step: FilesStep, by_path: Mapping[Path, str], place: str, link: Path) -> str:
    """The path in the output directory of what `link` points to; "" if the step does not have it.

    Of several links in a row the next one counts, if the step has it too.
    """
    following = Path(os.path.normpath(link.parent / link.readlink()))
    real = Path(os.path.realpath(link))  # Path.resolve() raises an error for a cycle of links
    for path in (following, real):
        if by_path.get(path, place) != place:
            return by_path[path]
    top = (step.root / step.folder).resolve()
    if step.folder and real.is_dir() and real.is_relative_to(top):
        return real.relative_to(top).as_posix()
    return ""


def _missing(step: FilesStep, pattern: str, file_states: FileStates) -> ArtifactError:
    """The error for a pattern that matches no file."""
    if (step.root / pattern).is_dir():
        pattern = pattern.rstrip("/")
        return ArtifactError(
            f"{step.name} names {pattern!r}, which is a directory",
            why="'files' names files",
            remedy=f'Name its files: "{pattern}/*"'
            + ("." if step.arch else f'; or keep its layout: tree = "{pattern}".'),
        )
    others = [arch for arch in HEXAGON_ARCHS if _has_files(step, arch, file_states)]
    if not step.arch or not others:
        return ArtifactError(
            f"{step.name} has no file {pattern!r}",
            why=f"nothing in {step.root} matches it",
            remedy="Correct 'files' in buildtool.toml, or put the files there.",
        )
    archs = ", ".join(f'"{arch}"' for arch in others)
    return ArtifactError(
        f"{step.name} has no file {pattern!r}",
        why=f"the component has files for {', '.join(others)}",
        remedy=f"Put files for {step.arch} there, or remove {step.arch} from the archs of the"
        f" target; archs = [{archs}] in [skel.{step.component}] says which ones there are.",
    )


def _has_files(step: FilesStep, arch: str, file_states: FileStates) -> bool:
    """Whether each pattern matches a file for `arch`."""
    other = step._replace(arch=arch)
    return all(matches(glob, other.roots, file_states) for glob in other.globs)
