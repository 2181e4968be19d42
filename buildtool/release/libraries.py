"""Checks that every library that the ARM64 side needs is in the release or on the device."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path

from buildtool.contract.rules.host_system import other_system
from buildtool.contract.subject import directory_in_release
from buildtool.core.elf.read import Dynamic, is_elf, read_dynamic, read_elf
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import Plan, Step
from buildtool.release.contents import ReleaseContents
from buildtool.release.slices import LIBRARIES, ReleaseError, ShippedOutput
from buildtool.toolchains.cdsprpc import is_cdsprpc
from buildtool.toolchains.system_libraries import system_libraries


class LibraryError(ReleaseError):
    """A program or library of a release needs a library that it would not find."""

    code = "library"


def add_needed(
    found: ReleaseContents,
    elves: Mapping[str, Dynamic],
    spare: Mapping[str, ShippedOutput],
    plan: Plan,
) -> None:
    """Add the libraries of `spare` that are needed to `found`, and check that nothing is missing.

    `elves` are the ELF files of its ARM64 side.  Raises `LibraryError` for a library that is
    neither in the release nor on the device, and for a RUNPATH that points outside the release.
    """
    _add_for_skels(found, spare)
    searched = {LIBRARIES}
    for place, elf in elves.items():
        searched |= _runpath(place, elf, found.files[place])
    known: dict[str, frozenset[str]] = {}
    there = found.places
    waiting = list(elves.items())
    while waiting:
        place, elf = waiting.pop()
        step = found.files[place].step
        if step.profile.digest not in known:
            known[step.profile.digest] = system_libraries(step.profile).union(plan.system_libraries)
        for name in elf.needed:
            if name in known[step.profile.digest] or is_cdsprpc(name):
                continue
            if "/" in name:
                raise _by_path(place, name, found.files[place].path)
            if any(posixpath.normpath(f"{d}/{name}") in there for d in searched):
                continue
            wanted = f"{LIBRARIES}/{name}"
            if wanted not in spare:
                raise _missing(place, name, found, plan)
            found.files[wanted] = spare[wanted]
            there.add(wanted)
            added = read_dynamic(spare[wanted].path)
            searched |= _runpath(wanted, added, spare[wanted])
            waiting.append((wanted, added))


def _add_for_skels(found: ReleaseContents, spare: Mapping[str, ShippedOutput]) -> None:
    """Add the libraries that skels need.  A missing one is not an error: the DSP may have it."""
    waiting = [place for place in found.files if place.startswith("dsp/")] if spare else []
    while waiting:
        place = waiting.pop()
        path = found.files[place].path
        for name in read_dynamic(path).needed if is_elf(path) else ():
            wanted = posixpath.join(posixpath.dirname(place), name)
            if wanted in spare and wanted not in found.places:
                found.files[wanted] = spare[wanted]
                waiting.append(wanted)


def _runpath(place: str, elf: Dynamic, output: ShippedOutput) -> set[str]:
    """The directories of the release in the RUNPATH of the file at `place`."""
    directories = set()
    for entry in elf.runpath:
        directory = directory_in_release(entry, posixpath.dirname(place))
        if directory is None:
            raise LibraryError(
                f"{place} has a RUNPATH that points outside the release:"
                f" {entry or 'an empty entry'}",
                why=f"on a device the release has no files there ({output.path})",
                remedy="Libraries in lib/ are found without it. Disable CMake's own RUNPATHs with"
                f" defines = {{ CMAKE_SKIP_RPATH = true }} in [host.{output.step.component}], and"
                " replace the project's own -Wl,-rpath; $ORIGIN/../lib stays in the release.",
                files=[output.path],
            )
        directories.add(directory)
    return directories


def _by_path(place: str, name: str, path: Path) -> LibraryError:
    return LibraryError(
        f"{place} needs {name} by its path, which a device does not have",
        why=f"a library without a SONAME was linked by its path ({path})",
        remedy="Give the library a SONAME (-Wl,-soname,NAME), or set IMPORTED_NO_SONAME in CMake"
        " if it is an imported library.",
        files=[path],
    )


def _missing(place: str, name: str, found: ReleaseContents, plan: Plan) -> LibraryError:
    output = found.files[place]
    profile = output.step.profile
    known = {*map(posixpath.basename, found.places), *system_libraries(profile)}
    known.update(plan.system_libraries)
    if other := other_system(place, read_elf(output.path), profile.platform, known):
        why = f"{other.why} ({output.path})"
        return LibraryError(other.message, why=why, remedy=other.remedy, files=[output.path])
    elsewhere = [other for other in sorted(found.places) if posixpath.basename(other) == name]
    if elsewhere:
        why = f"loaders search {LIBRARIES}/ and the RUNPATHs; it ships as {elsewhere[0]}"
        remedy = f"Install it to {LIBRARIES}/, or set CMAKE_INSTALL_RPATH so that it is found."
    else:
        why, remedy = _where(name, [output.step, *plan.steps])
    return LibraryError(
        f"{place} needs {name}, which is neither in the release nor on every device",
        why=why,
        remedy=f"{remedy} If the devices have it: system-libraries = {json.dumps([name])} in"
        f" [target.{plan.target}].",
        files=[output.path],
    )


def _where(name: str, steps: Sequence[Step]) -> tuple[str, str]:
    """Where a library is that does not ship, and how to ship it."""
    hosts = {step.name: step for step in steps if not step.arch}.values()
    for step in hosts:
        if isinstance(step, FilesStep):
            continue
        if path := _search(step.tree, name):
            pattern = path.relative_to(step.tree).as_posix()
            return (
                f"it is in the build tree of {step.component}: {path}",
                f'Ship it: artifacts = ["{pattern}"] in [host.{step.component}].',
            )
    for step in hosts:
        if path := _search(step.source, name):
            return (
                f"it is in the sources of {step.component}: {path}",
                f"Ship it: add it to 'files' of [host.{step.component}]."
                if isinstance(step, FilesStep)
                else f"Ship it: install(FILES … DESTINATION {LIBRARIES}) in a CMakeLists.txt.",
            )
    return (
        "no component of the target has a file of that name",
        f"Install it to {LIBRARIES}/, or link it statically.",
    )


def _search(folder: Path, name: str) -> Path | None:
    for inside, folders, names in os.walk(folder):
        folders.sort()
        if name in names:
            return Path(inside, name)
    return None
