"""The contents of a release: files, and the few links that something in it needs.

A shared library that is built with a version has three names, `libx.so → libx.so.1 → libx.so.1.2`.
Some devices and archives do not support links, so it ships once, under its SONAME, which is the
name that programs need.  Prebuilt files keep all their names: what opens them is not known.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from buildtool.core.elf.read import Dynamic, is_elf, read_dynamic
from buildtool.core.value import Value
from buildtool.inputs.file_states import EXECUTABLE_SUFFIX
from buildtool.plan.component_step import FilesStep
from buildtool.release.slices import Layout, ShippedOutput


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
