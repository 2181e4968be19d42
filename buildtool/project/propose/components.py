"""Which CMake projects a tree has, and which side each of them is for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from buildtool.project.archs import HEXAGON_ARCHS
from buildtool.project.propose.facts import HOST, LIKELY, SKEL, STRONG, External, Reading, Sign
from buildtool.project.propose.language import Command
from buildtool.project.propose.presets import ConfigurePreset, configure_presets
from buildtool.project.propose.reading import read_component
from buildtool.project.propose.sources import signs_in_sources
from buildtool.project.propose.tree import CMakeTree
from buildtool.project.propose.variables import ARCH_VARIABLES

MAX_COMPONENTS = 64
ASIDE = {"test", "tests", "testing", "example", "examples", "sample", "samples", "docs", "bench"}
"""Directories whose projects are not what is shipped, where there are others."""


@dataclass(frozen=True, slots=True)
class Component:
    """A CMake project of its own: what it says, who builds it as a step of theirs, its presets;
    `skel` and `host` are what tells that it is for that side, none where it is not."""

    reading: Reading
    callers: tuple[External, ...]
    presets: tuple[ConfigurePreset, ...]
    skel: tuple[Sign, ...]
    host: tuple[Sign, ...]

    @property
    def directory(self) -> str:
        return self.reading.directory

    @property
    def archs(self) -> tuple[str, ...]:
        """The archs that it is built for: as its callers, presets and target names say."""
        said = {arch for preset in self.presets for arch in preset.archs}
        for caller in self.callers:
            said.update(caller.definitions.values())
        names = [caller.name for caller in self.callers]
        names += [made.name for made in self.reading.made if made.side == SKEL]
        said |= {arch for arch in HEXAGON_ARCHS for name in names if arch in name}
        return tuple(arch for arch in HEXAGON_ARCHS if arch in said)

    @property
    def arch_variables(self) -> tuple[str, ...]:
        """The variables that it is told the arch by."""
        said = [
            name
            for caller in self.callers
            for name, value in caller.definitions.items()
            if value in HEXAGON_ARCHS or value in [f"${{{known}}}" for known in ARCH_VARIABLES]
        ]
        said += [name for preset in self.presets for name in preset.arch_variables]
        return tuple(dict.fromkeys([*said, *self.reading.arch_variables]))


@dataclass(frozen=True, slots=True)
class Found:
    """The components of a tree; directories of projects left `aside`, as those of tests are, and
    `loose` ones, whose CMake files are no project and part of none."""

    components: tuple[Component, ...]
    aside: tuple[str, ...]
    loose: tuple[str, ...]


def find_components(tree: CMakeTree) -> Found:
    """The CMake projects of `tree` by themselves.

    A listing that another adds as a subdirectory is a part of that one; one that another builds
    with ExternalProject_Add() is a component of its own.
    """
    presets = {folder: configure_presets(text) for folder, text in tree.presets.items()}
    variables = {name for rows in presets.values() for row in rows for name in row.arch_variables}
    readings: dict[str, Reading] = {}
    parts: set[str] = set()
    callers: dict[str, list[External]] = {}
    # The ones nearest to the top first: what they add is then known to be a part of them.
    waiting = sorted(tree.listings, key=lambda folder: (folder != ".", folder.count("/"), folder))
    while waiting and len(readings) < MAX_COMPONENTS:
        folder = waiting.pop(0)
        if folder in parts or folder in readings or not _is_project(tree.listings[folder]):
            continue
        reading = read_component(tree, folder, tuple(variables))
        readings[folder] = reading
        parts |= reading.parts - {folder}
        for external in reading.externals:
            if external.source in tree.listings:
                callers.setdefault(external.source, []).append(external)
                variables |= {
                    name for name, value in external.definitions.items() if value in HEXAGON_ARCHS
                }
    own = [folder for folder in readings if folder not in parts]
    main = [folder for folder in own if not ASIDE & set(folder.split("/"))] or own
    loose = [folder for folder in tree.listings if folder not in parts and folder not in readings]
    components = [
        _component(tree, readings[folder], callers.get(folder, ()), presets.get(folder, ()))
        for folder in main
    ]
    return Found(
        tuple(_as_needed(component, components) for component in components),
        tuple(folder for folder in own if folder not in main),
        tuple(loose),
    )


def _as_needed(component: Component, others: Iterable[Component]) -> Component:
    """The component, for the side of one that finds its package where nothing else tells."""
    if component.skel or component.host:
        return component
    provided = {package.lower() for package in component.reading.provides}
    for other in others:
        if provided & {package.lower() for package in other.reading.packages}:
            side = HOST if other.host else SKEL
            text = f"is found by {other.reading.project or other.directory}"
            sign = Sign(side, LIKELY, text, component.reading.where)
            here = {SKEL: (), HOST: (), side: (sign,)}
            return dataclasses.replace(component, skel=here[SKEL], host=here[HOST])
    return component


def _is_project(listing: Iterable[Command]) -> bool:
    return any(command.name == "project" for command in listing)


def _component(
    tree: CMakeTree,
    reading: Reading,
    callers: Iterable[External],
    presets: Iterable[ConfigurePreset],
) -> Component:
    callers = tuple(callers)
    skel, host = _sides(reading)
    if not skel and not host:
        skel, host = signs_in_sources(tree, reading)
    told = next((caller for caller in callers if _for_dsp(caller)), None)
    if told and not any(sign.weight == STRONG for sign in skel):
        sign = Sign(SKEL, STRONG, f"builds it for the DSP as {told.name}", told.where)
        skel = (sign,)
        host = tuple(sign for sign in host if sign.weight == STRONG)
    return Component(reading, callers, tuple(presets), skel, host)


def _for_dsp(caller: External) -> bool:
    words = {value for value in caller.definitions.values() if value in HEXAGON_ARCHS}
    return bool(words or caller.definitions.keys() & set(ARCH_VARIABLES))


def _sides(reading: Reading) -> tuple[tuple[Sign, ...], tuple[Sign, ...]]:
    """The signs of each side that it is for, those that decide first; none of the other's."""
    by_side: Mapping[str, list[Sign]] = {SKEL: [], HOST: []}
    for sign in sorted(reading.signs, key=lambda sign: -sign.weight):
        by_side[sign.side].append(sign)
    strong = {side for side, signs in by_side.items() if signs and signs[0].weight == STRONG}
    if not strong:
        # A program is ARM64's, whatever else is read of the SDK: stubs need it as well.
        likely = [side for side in (HOST, SKEL) if _best(by_side[side]) >= LIKELY]
        strong = set(likely[:1]) or {side for side in (SKEL, HOST) if by_side[side]}
    return (
        tuple(by_side[SKEL]) if SKEL in strong else (),
        tuple(by_side[HOST]) if HOST in strong else (),
    )


def _best(signs: list[Sign]) -> int:
    return signs[0].weight if signs else 0
