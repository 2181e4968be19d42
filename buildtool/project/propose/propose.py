"""A project file for an existing CMake tree, with why each line of it is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from buildtool.project.archs import HEXAGON_ARCHS
from buildtool.project.propose.components import Component, find_components
from buildtool.project.propose.facts import HOST, SKEL, STRONG, Sign
from buildtool.project.propose.names import Names
from buildtool.project.propose.presets import host_preset, skel_preset
from buildtool.project.propose.proposal import Line, Proposal, Table, Unknown
from buildtool.project.propose.ships import ships
from buildtool.project.propose.tree import CMakeTree

EMULATED = "v68"
"""The arch that the emulated device is for."""


def propose(tree: CMakeTree, name: str) -> Proposal:
    """A project file called `name` for `tree`; without a component in it, only what is unknown."""
    found = find_components(tree)
    components = found.components
    unknown = [Unknown(text, "Name what is missing in buildtool.toml.") for text in tree.unread]
    if found.aside:
        unknown.append(
            Unknown(
                f"projects of tests and examples are left out: {', '.join(found.aside[:5])}"
                + (" …" if len(found.aside) > 5 else ""),
                "Name their directories as a 'source' if they are to be built.",
            )
        )
    for folder in found.loose[:10]:
        unknown.append(
            Unknown(
                f"{_listing(folder)} is no project of its own, and no other adds it",
                "Name the directory as a 'source' if it is to be built.",
            )
        )
    make = _Tables(tree, components)
    tables = [*make.hosts(), *make.skels()]
    if not tables:
        return Proposal((), (*unknown, *make.unknown))
    version = components[0].reading.version if components[0].directory == "." else ""
    header = [Line("name", name)]
    if re.fullmatch(r"[0-9][0-9A-Za-z.+-]*", version):
        header.append(Line("version", version, f"project() in {components[0].reading.where}"))
    tables = [Table("project", "", tuple(header)), *tables, *make.targets()]
    return Proposal(tuple(tables), (*unknown, *make.unknown))


class _Tables:
    """The tables of one proposal; what cannot be told gathers in `unknown`."""

    def __init__(self, tree: CMakeTree, components: Sequence[Component]) -> None:
        self.tree = tree
        self.components = components
        self.unknown: list[Unknown] = []
        names = Names()
        unsure = [c for c in components if not c.skel and not c.host]
        for component in unsure:
            if component.reading.made:
                self.unknown.append(
                    Unknown(
                        f"{component.reading.where} does not tell which side it is for",
                        f"It is proposed for the ARM64 side; make it [skel.…] if"
                        f" {component.directory} is for the DSP.",
                    )
                )
        made = [c for c in unsure if c.reading.made]
        self.of_host = {
            names.new(c.reading.project or c.directory): c
            for c in components
            if c.host or c in made
        }
        self.of_skel = {names.new(self.skel_name(c), "_dsp"): c for c in components if c.skel}

    def skel_name(self, component: Component) -> str:
        interface = self.interface(component)
        if interface:
            return interface.rpartition("/")[2].removesuffix(".idl")
        made = [m.name for m in component.reading.made if m.side == SKEL]
        if len(made) == 1 and "$" not in made[0]:
            return made[0].removesuffix("_skel")
        return component.reading.project or component.directory

    def interface(self, component: Component) -> str:
        """The one .idl file that it is about, if it is one."""
        named = [idl for idl in component.reading.interfaces if idl in self.tree.interfaces]
        inside = [i for i in self.tree.interfaces if _inside(i, component.directory)]
        found = named or inside
        return found[0] if len(found) == 1 else ""

    def hosts(self) -> list[Table]:
        tables = []
        for name, component in self.of_host.items():
            lines = [Line("source", component.directory)]
            preset, why = host_preset(component.presets)
            if preset:
                lines.append(Line("preset", preset, why))
            lines += self.needs(component, self.of_host)
            lines += self.without_steps(component)
            lines += self.shipping(component, HOST)
            self.downloads(component)
            tables.append(
                Table(f"host.{name}", _because("ARM64 side", component.host), tuple(lines))
            )
        return tables

    def skels(self) -> list[Table]:
        tables = []
        for name, component in self.of_skel.items():
            lines = [Line("source", component.directory)]
            if interface := self.interface(component):
                lines.append(Line("idl", interface))
            elif len(component.reading.interfaces) > 1:
                self.unknown.append(
                    Unknown(
                        f"{component.reading.where} has several interfaces:"
                        f" {', '.join(component.reading.interfaces[:5])}",
                        "Nothing is to be done: 'idl' names one where there is one.",
                    )
                )
            if component.archs:
                lines.append(Line("archs", component.archs, self.archs_from(component)))
            preset, why = skel_preset(component.presets)
            if preset:
                lines.append(Line("preset", preset, why))
            told = {v: "{arch}" for v in component.arch_variables if "{arch}" not in preset}
            if told:
                lines.append(Line("defines", told, "how it is told the arch"))
            lines += self.own_toolchain(component)
            lines += self.needs(component, self.of_skel)
            lines += self.shipping(component, SKEL)
            if component not in self.of_host.values():
                self.downloads(component)
            tables.append(
                Table(f"skel.{name}", _because("Hexagon side", component.skel), tuple(lines))
            )
        return tables

    def archs_from(self, component: Component) -> str:
        if component.callers:
            return f"as {component.callers[0].where} builds it"
        if any(preset.archs for preset in component.presets):
            return "as its presets say"
        return "as the names of its targets say"

    def own_toolchain(self, component: Component) -> list[Line]:
        for caller in component.callers:
            place = caller.definitions.get("CMAKE_TOOLCHAIN_FILE", "")
            file = place.rpartition("\0source/")[2]
            if file in self.tree.modules and "\0" not in file:
                why = f"{caller.where} builds it with this; the target's own profile does as well"
                return [Line("toolchain-file", file, why, sure=False)]
        return []

    def without_steps(self, component: Component) -> list[Line]:
        """What turns the skels off that it would build by itself."""
        switches: dict[str, str | bool] = {}
        where = None
        for external in component.reading.externals:
            if not external.source:
                self.unknown.append(
                    Unknown(
                        f"{external.where} fetches and builds {external.name} by itself",
                        "Make it a component, or give it to the build as a package.",
                    )
                )
            elif external.switch:
                name, off = external.switch
                switches[name] = off
                where = where or external.where
        if not switches:
            return []
        return [Line("defines", switches, f"{where} would build the skels by itself")]

    def needs(self, component: Component, others: dict[str, Component]) -> list[Line]:
        looked_for = {package.lower() for package in component.reading.packages}
        found = {
            name: other.reading.where
            for name, other in others.items()
            if other is not component
            and looked_for & {package.lower() for package in other.reading.provides}
        }
        why = ", ".join(f"find_package() finds what {where} installs" for where in found.values())
        return [Line("needs", tuple(found), why)] if found else []

    def shipping(self, component: Component, side: str) -> list[Line]:
        steps = [step for step in component.reading.externals if step.source and not step.switch]
        both = bool(component.skel and component.host)
        lines, unknown = ships(component, side, both=both, alone=side == HOST and bool(steps))
        self.unknown += unknown
        return lines

    def downloads(self, component: Component) -> None:
        if client := component.reading.sdk_client:
            self.unknown.append(
                Unknown(
                    f"{client} links the client library of the SDK, which no device wants",
                    "Change it to target_link_libraries(… cdsprpc): the system's is found.",
                )
            )
        for where in component.reading.fetched:
            self.unknown.append(
                Unknown(
                    f"{where} downloads with FetchContent while it is configured",
                    'To build offline: defines = { FETCHCONTENT_SOURCE_DIR_NAME = "…" }',
                )
            )

    def targets(self) -> list[Table]:
        archs = _common([c.archs or HEXAGON_ARCHS for c in self.of_skel.values()])
        if self.of_skel and not archs:
            self.unknown.append(
                Unknown(
                    "the skels have no arch in common", "Correct their 'archs', and the targets'."
                )
            )
        sdk = next((c.reading.sdk for c in self.components if c.reading.sdk), None)
        base = [Line("platform", "ubuntu-aarch64")]
        if sdk:
            base.append(Line("dsp-toolchain", "sdk", f"{sdk} needs a Hexagon SDK"))
        first = EMULATED if EMULATED in archs else archs[0] if archs else ""
        tables = []
        one = [Line("archs", (first,))] if first else []
        tables.append(Table("target.sim", "the emulated device", (*base, *one)))
        if len(archs) > 1 and any(c.archs for c in self.of_skel.values()):
            every = Line("archs", archs)
            tables.append(Table("target.all", "every arch of the skels", (*base, every)))
        return tables


def _common(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    sets = [set(archs) for archs in lists]
    both = set.intersection(*sets) if sets else set()
    return tuple(arch for arch in HEXAGON_ARCHS if arch in both)


def _because(side: str, signs: Sequence[Sign]) -> str:
    if not signs:
        return f"{side}: a guess, nothing tells"
    best = [sign for sign in signs if sign.weight == signs[0].weight][:2]
    guess = "" if best[0].weight == STRONG else "probably "
    return f"{guess}{side}: {'; '.join(map(str, best))}"


def _inside(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(folder + "/")


def _listing(folder: str) -> str:
    return "CMakeLists.txt" if folder == "." else f"{folder}/CMakeLists.txt"
