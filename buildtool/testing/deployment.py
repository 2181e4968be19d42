"""The test deployment: a release, and what the CTest suites of its components need besides.

tests/COMPONENT/build/      programs of the build tree, and files there that tests name or open
tests/COMPONENT/source/     files of the source directory that tests name or open
tests/COMPONENT/project/    the same of the rest of the project
lib/                        shared libraries that the release lacks

Each directory mirrors one of this machine.

Paths of this machine in texts, replaced by those that files have on a device.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from buildtool.core.elf.read import is_elf, read_dynamic
from buildtool.core.files import read_checksummed, value_digest, write_checksummed
from buildtool.core.lock import is_held
from buildtool.core.trees import STATE, make_directory, remove_tree, replace_directory
from buildtool.drivers.cmake.file_api import CMakeTarget, read_build_tree
from buildtool.drivers.cmake.shipped_files import built
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import CMakeStep
from buildtool.release.slices import LIBRARIES, Release, ReleaseFile, ShippedOutput, in_slices
from buildtool.release.split_debug import ship
from buildtool.toolchains.system_libraries import system_libraries

TESTS = "tests"
FILES, DEBUG, LIST = "files", "debug", "files.json"
NO_DATA = frozenset({STATE, ".git", "CMakeFiles"})
"""Directories of which nothing is sent."""
Additions = dict[str, ShippedOutput]
"""The files that a test deployment adds to the release, by path there."""
# A path begins a text, or follows what separates it from an option's name, a format or another
# path: --data=/…, --gtest_output=xml:/…, /…:/…, -I/….
_BEFORE = r"(?:^-[A-Za-z]|^|[=:;,\s\"'(\[])"
_ENDS = r"[:;,\"')\]]"
_AFTER = r"(?=[/:;,\s\"')\]]|$)"


def directories(step: CMakeStep) -> dict[str, str]:
    """The directories of this machine that the test deployment mirrors, and where it does."""
    places = {step.root: "project", step.source: "source", step.tree: "build"}
    return {
        str(path): f"{TESTS}/{step.component}/{name}"
        for place, name in places.items()
        for path in (place.resolve(), place)
    }


def programs(step: CMakeStep) -> Additions:
    """The programs and libraries that CMake targets of the build tree make, where they lie there,
    and the libraries that they need and that the build or a package provides, below `lib/`.  Raises
    `FileApiError` and `ElfError`."""
    targets = read_build_tree(step.tree).targets
    paths = PathMap(directories(step))
    found = {
        paths.path(str(path)): ShippedOutput(step, path.name, path)
        for target in targets
        if target.kind in ("EXECUTABLE", "SHARED_LIBRARY", "MODULE_LIBRARY")
        for path in target.artifacts
        if path.is_file() and paths.path(str(path))
    }
    return {**found, **_needed(step, targets, [output.path for output in found.values()])}


def _needed(step: CMakeStep, targets: tuple[CMakeTarget, ...], waiting: list[Path]) -> Additions:
    """The libraries that files in `waiting` need, and those that these need."""
    known = set(system_libraries(step.profile))
    packages: Mapping[str, Path] = {}
    if step.conan:
        from buildtool.drivers.conan.install import installed  # noqa: PLC0415 - most have none

        ready = installed(step)
        packages = ready.runtime if ready else {}
    elsewhere = {**_of_needs(step), **packages, **step.profile.runtime}
    found: Additions = {}
    while waiting:
        path = waiting.pop()
        for name in read_dynamic(path).needed if is_elf(path) else ():
            if name in known or "/" in name:
                continue
            known.add(name)
            library = next(iter(built(name, targets)), None) or elsewhere.get(name)
            if library:
                found[f"{LIBRARIES}/{name}"] = ShippedOutput(step, name, library)
                waiting.append(library)
    return found


def _of_needs(step: CMakeStep) -> dict[str, Path]:
    """The shared libraries of the components that `step` needs, by name."""
    found: dict[str, Path] = {}
    for _, output in step.needs:
        found |= {path.name: path for path in output.rglob("*.so*") if path.is_file()}
    return found


def named_files(step: CMakeStep, paths: Iterable[Path]) -> Additions:
    """The files `paths`, and those below the directories among them, by their paths on the device.
    A directory that contains all sources or the whole build tree is not one of data."""
    mapped = PathMap(directories(step))
    found: Additions = {}
    for path in paths:
        if not path.is_dir():
            files: Iterable[Path] = [path] if path.is_file() else ()
        elif any(place == path or path in place.parents for place in (step.source, step.tree)):
            files = ()
        else:
            files = _files_below(path)
        for file in files:
            if place := mapped.path(str(file)):
                found[place] = ShippedOutput(step, file.name, file)
    return found


def opened_files(step: CMakeStep, patterns: Iterable[str]) -> Additions:
    """The files below the source directory or the build tree that match `test-files`."""
    found: list[Path] = []
    for folder in (step.source, step.tree):
        for pattern in patterns:
            paths = ((path, path.relative_to(folder).parts) for path in folder.glob(pattern))
            found += [path for path, parts in paths if not NO_DATA.intersection(parts)]
    return named_files(step, found)


def _files_below(folder: Path) -> Iterator[Path]:
    for inside, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders).difference(NO_DATA))
        # Not fifos, sockets, and links to files that are missing.
        yield from (file for name in sorted(names) if (file := Path(inside, name)).is_file())


def make_test_release(
    release: Release, added: Additions, folder: Path, file_states: FileStates
) -> Release:
    """`release` with the files `added`, in a directory of `folder` that is named by what is in it.

    The directory is made unless it is there; others are removed if no process holds them.  Raises
    `OSError`.
    """
    there = {file.path for file in release.files} | {link.path for link in release.links}
    wanted = {place: output for place, output in sorted(added.items()) if place not in there}
    states = [[place, file_states.state(output.path)] for place, output in wanted.items()]
    kept = folder / value_digest([release.id, states])[:16]
    files = _recorded(kept)
    if files is None:
        files = _fill(kept, release, wanted)
    for other in folder.iterdir():
        if other != kept and not is_held(other / FILES):
            remove_tree(other, ignore_errors=True)
    slices = in_slices([*release.files, *files], release.links, release.archs)
    return release._replace(directory=kept / FILES, debug=kept / DEBUG, slices=slices)


def _recorded(directory: Path) -> list[ReleaseFile] | None:
    """The files that were added in an existing directory; None if it is missing or incomplete."""
    try:
        rows = read_checksummed(directory / LIST)
        files = [ReleaseFile(*row) for row in rows]
        whole = all((directory / FILES / f.path).stat().st_size == f.size for f in files)
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return files if whole else None


def _fill(directory: Path, release: Release, wanted: Additions) -> list[ReleaseFile]:
    make_directory(directory.parent)
    fresh = Path(tempfile.mkdtemp(dir=directory.parent, prefix="."))
    try:
        root, debug = fresh / FILES, fresh / DEBUG
        debug.mkdir()
        for file in release.files:
            place = root / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(release.directory / file.path, place)
            except OSError:  # another file system
                shutil.copy2(release.directory / file.path, place)
        files = [ship(output, place, root, debug) for place, output in wanted.items()]
        write_checksummed(fresh / LIST, files)
        replace_directory(fresh, directory)
    except BaseException:
        remove_tree(fresh, ignore_errors=True)
        raise
    return files


class PathMap:
    """The directories of this machine, each with the directory on the device that mirrors it.  A
    directory inside another one has precedence."""

    def __init__(self, directories: Mapping[str, str]) -> None:
        self.directories = directories
        longest = sorted(directories, key=len, reverse=True)
        self._pattern = f"({_BEFORE})({'|'.join(map(re.escape, longest))}){_AFTER}"

    def path(self, path: str) -> str:
        """The path on the device of the absolute `path`; "" if no directory contains it."""
        path = os.path.normpath(path)
        for directory in sorted(self.directories, key=len, reverse=True):
            if path == directory or path.startswith(f"{directory}/"):
                return self.directories[directory] + path[len(directory) :]
        return ""

    def text(self, text: str) -> str:
        """`text`, an argument or the value of a variable, with its paths replaced."""
        if not self.directories:
            return text
        return re.sub(self._pattern, lambda found: found[1] + self.directories[found[2]], text)

    def argument(self, text: str, folder: str) -> str:
        """The argument `text` of a program that works in `folder`, with its paths replaced: also a
        relative one that leads to a file in another directory."""
        file = os.path.normpath(f"{folder}/{text}")
        at, there = self.path(folder), self.path(file)
        if not (text.startswith("../") and at and there and os.path.exists(file)):  # noqa: PTH110
            return self.text(text)
        return os.path.relpath(there, at)

    def named_in(self, text: str) -> Iterator[str]:
        """The paths of this machine in `text` that are in one of the directories."""
        if not self.directories:
            return
        for found in re.finditer(self._pattern, text):
            rest = re.split(_ENDS, text[found.end(2) :], maxsplit=1)[0]
            yield os.path.normpath(found[2] + rest)
