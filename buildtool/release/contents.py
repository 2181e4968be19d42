"""The contents of a release: files, and the few links and libraries that something in it needs.

A shared library that is built with a version has three names, `libx.so → libx.so.1 → libx.so.1.2`.
Some devices and archives do not support links, so it ships once, under its SONAME, which is the
name that programs need.  Prebuilt files keep all their names: what opens them is not known.

Every library that the ARM64 side needs is in the release or on the device.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from buildtool.contract.rules.host_system import other_system
from buildtool.contract.subject import directory_in_release
from buildtool.core.elf.read import Dynamic, is_elf, read_dynamic, read_elf
from buildtool.core.value import Value
from buildtool.inputs.file_states import EXECUTABLE_SUFFIX
from buildtool.plan.component_step import FilesStep
from buildtool.plan.plan import Plan, Step
from buildtool.release.slices import LIBRARIES, Layout, ReleaseError, ShippedOutput
from buildtool.toolchains.cdsprpc import is_cdsprpc
from buildtool.toolchains.system_libraries import system_libraries


class ReleaseContents(Value):
    """Files and links by path in the release; the value of a link is the path of its target."""

    files: dict[str, ShippedOutput]
    links: dict[str, str]

    @property
    def places(self) -> set[str]:
        return {*self.files, *self.links}


def contents(
    layout: Layout, state: Callable[[Path], str]
) -> tuple[ReleaseContents, dict[str, Dynamic]]:
    """The contents of a release with this layout, and the dynamic sections of the ARM64 side's ELF
    files, by path.

    Files are equal if `state` (`FileStates.state`) returns the same for them.  Raises `ElfError`.
    """
    found = _with_links(layout.ships)
    elves = {
        place: read_dynamic(output.path)
        for place, output in found.files.items()
        if output.step.arch is None and is_elf(output.path)
    }
    by_library = defaultdict(list)
    for place, elf in elves.items():
        if elf.kind == "DYN" and elf.soname and "/" not in elf.soname:
            folder, name = posixpath.split(place)
            if _stem(name) == _stem(elf.soname):
                content = state(found.files[place].path).removesuffix(EXECUTABLE_SUFFIX)
                by_library[folder, elf.soname, content].append(place)
    needed = {name for elf in elves.values() for name in elf.needed}
    several = {}
    for (folder, soname, _), copies in by_library.items():
        names = [*copies, *_links_to(copies, folder, soname, found.links)]
        chosen = posixpath.join(folder, soname)
        if names == [chosen] or (len(names) == 1 and soname not in needed):
            continue
        if chosen in names or chosen not in found.places:
            several[chosen] = names
    asked = needed | _mentioned(several, (found.files[place].path for place in elves))
    # A library that nothing needs is opened at run time, and some programs compose its name then.
    unneeded = (name for name in map(posixpath.basename, several) if name not in needed)
    asked |= {f"{_stem(name)}.so" for name in unneeded}
    asked |= {
        posixpath.basename(place)
        for place, output in layout.ships.items()
        if isinstance(output.step, FilesStep)
    }
    for chosen, names in several.items():
        _ship_as(chosen, names, asked, found, elves)
    return found, elves


def _with_links(ships: Mapping[str, ShippedOutput]) -> ReleaseContents:
    """`ships`, with links to other files in it, or to directories, separated from files."""
    found = ReleaseContents({}, {})
    by_path = {
        os.path.realpath(output.path): place
        for place, output in ships.items()
        if not output.path.is_symlink()
    }
    for place, output in ships.items():
        target = os.path.realpath(output.path)
        if not output.path.is_symlink():
            found.files[place] = output
        elif target in by_path:
            found.links[place] = by_path[target]
        elif not Path(target).is_dir():
            found.files[place] = output  # its target is not an output of the step
        elif folder := _folder(target, by_path):
            found.links[place] = folder
    return found


def _folder(path: str, by_path: Mapping[str, str]) -> str:
    """The path in the release of the directory `path`; "" if no file below it ships."""
    for file, place in by_path.items():
        rest = file.removeprefix(path)
        if rest != file and rest.startswith("/") and place.endswith(rest):
            return place.removesuffix(rest)
    return ""


def _stem(name: str) -> str:
    return name.partition(".so")[0]


def _links_to(
    copies: Iterable[str], folder: str, soname: str, links: Mapping[str, str]
) -> list[str]:
    """The links in the same directory that are other names of the library."""
    return [
        place
        for place, target in links.items()
        if target in copies
        and posixpath.dirname(place) == folder
        and _stem(posixpath.basename(place)) == _stem(soname)
    ]


def _mentioned(several: Mapping[str, Iterable[str]], files: Iterable[Path]) -> set[str]:
    """The names of libraries that one of `files` contains, for example for dlopen()."""
    names = {posixpath.basename(place) for places in several.values() for place in places}
    if not names:
        return set()
    any_name = b"|".join(re.escape(os.fsencode(name)) for name in sorted(names))
    pattern = re.compile(rb"(?<![\w.+-])(?:" + any_name + rb")(?![\w.+-])")
    return {
        os.fsdecode(match[0]) for file in files for match in pattern.finditer(file.read_bytes())
    }


def _ship_as(
    chosen: str,
    names: Iterable[str],
    asked: set[str],
    found: ReleaseContents,
    elves: dict[str, Dynamic],
) -> None:
    """Ship the library with the paths `names` as the file `chosen`, with links from those of the
    names that are needed."""
    for place in names:
        if place in found.files:
            output, elf = found.files.pop(place), elves.pop(place)
        found.links.pop(place, None)
    found.files[chosen], elves[chosen] = output, elf
    for place, target in found.links.items():
        if target in names:
            found.links[place] = chosen
    for place in names:
        if place != chosen and posixpath.basename(place) in asked:
            found.links[place] = chosen


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
