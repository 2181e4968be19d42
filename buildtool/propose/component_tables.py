"""Writes the component tables of the proposed project file."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from buildtool.core.value import Value
from buildtool.drivers.cmake.failure_hints import POLICY_MINIMUM
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.propose.candidates import Candidate, SideComponent, sources_of
from buildtool.propose.cmake_tree import directory_of
from buildtool.propose.component_files import ShippedFiles, copied_data, opened_data, shipped_files
from buildtool.propose.configure import Configured, ConfigureFailure
from buildtool.propose.options import dsp_options_that_are_off
from buildtool.propose.proposal import Line, Table, Unknown
from buildtool.propose.target_sides import (
    ARM64_EVIDENCE,
    DSP,
    HEXAGON_EVIDENCE,
    HOST,
    SKEL,
    SidedTarget,
    TextHints,
    archs_of,
    evidence,
    is_inside,
    sided_targets,
    split_by_side,
    with_arch,
)
from buildtool.toolchains.cdsprpc import is_cdsprpc

MAX_NAME = 40
SIDES = {HOST: "ARM64", SKEL: "Hexagon", DSP: "Hexagon"}


class ComponentRow(Value):
    """A future table: a project as a component of one side, and its targets on that side."""

    side: str
    candidate: Candidate
    made: tuple[SidedTarget, ...]

    @property
    def part(self) -> SideComponent:
        return self.candidate.sides[self.side]


class ComponentTables:
    """The tables of components; `unknown` collects what cannot be determined."""

    def __init__(self, hints: TextHints, candidates: Sequence[Candidate]) -> None:
        self.hints = hints
        self.root = hints.tree.root
        self.unknown: list[Unknown] = []
        self.placed: dict[str, tuple[str, Path]] = {}
        self.needed: set[tuple[str, str]] = set()
        self.candidates = {candidate.folder: candidate for candidate in candidates}
        rows = [row for candidate in candidates for row in self._rows(candidate)]
        self.rows = sorted(self._with_needed(rows), key=lambda row: row.side != HOST)
        self.names: dict[str, dict[str, str]] = {HOST: {}, SKEL: {}, DSP: {}}
        for row in self.rows:
            self.names[row.side][row.candidate.folder] = self._unique_name(row)

    def tables(self) -> list[Table]:
        """`[host.…]`, `[skel.…]` and `[dsp.…]`."""
        tables = [self._table(row) for row in self.rows]
        for _ in tables:  # a table that needs another may itself be needed
            off = {table.name for table in tables if table.off}
            tables = [_disabled_with_needs(table, off) for table in tables]
        return tables

    def _rows(self, candidate: Candidate) -> list[ComponentRow]:
        """The sides that the project has targets for, or would have if it could be configured."""
        hints, folder = self.hints, candidate.folder
        host, skel = candidate.first(HOST), candidate.first(SKEL)
        has_hexagon_side = bool(
            candidate.calls or hints.search(HEXAGON_EVIDENCE, folder, candidate.adds)
        )
        has_hexagon_side |= SKEL in candidate.sides and bool(candidate.sides[SKEL].component.preset)
        for_host, for_skel = split_by_side(host, skel, hints, has_hexagon_side=has_hexagon_side)
        is_host, is_skel = bool(for_host), bool(for_skel)
        if isinstance(skel, ConfigureFailure):
            is_skel = has_hexagon_side or any(
                made.side == SKEL for made in sided_targets(host, hints)
            )
        if isinstance(host, ConfigureFailure):
            is_host = not is_skel or bool(hints.search(ARM64_EVIDENCE, folder, candidate.adds))
        if for_host and not any(made.side for made in (*for_host, *for_skel)):
            self._unknown(
                f"{hints.projects[folder].where} has no evidence of its side",
                f"It is proposed for ARM64; change it to [skel.…] if {folder} is for the DSP.",
            )
        programs = candidate.first(DSP)
        if programs and host:
            is_host &= not hints.is_only_for_dsp(sources_of(host))
        rows = [ComponentRow(HOST, candidate, for_host)] if is_host else []
        if programs:
            rows.append(ComponentRow(DSP, candidate, sided_targets(programs, hints)))
        if is_skel:
            # One tree may build libraries for all archs.
            first = candidate.sides[SKEL].archs[0]
            made = (m for m in for_skel if first in (archs_of([m.target.name]) or (first,)))
            rows.append(ComponentRow(SKEL, candidate, tuple(made)))
        return rows

    def _with_needed(self, rows: list[ComponentRow]) -> list[ComponentRow]:
        """The rows, and those of projects that are only needed by others or only install files."""
        for row in rows:  # grows in the loop
            for folder in row.part.needs:
                needed = ComponentRow(row.side, self.candidates[folder], ())
                if all((r.side, r.candidate.folder) != (row.side, folder) for r in rows):
                    rows.append(needed)
                self.needed.add((row.side, folder))
        covered = {row.candidate.folder for row in rows}
        for folder, candidate in self.candidates.items():
            host = candidate.first(HOST)
            if folder in covered:
                continue
            if isinstance(host, Configured) and not host.linked and host.installation.rules:
                rows.append(ComponentRow(HOST, candidate, ()))
            else:
                self._unknown(
                    f"{self.hints.projects[folder].where} builds no program and no skel that could"
                    " ship, and installs nothing",
                    "Add install() rules if it is to ship.",
                )
        return rows

    def _unknown(self, what: str, remedy: str) -> None:
        self.unknown.append(Unknown(what, remedy))

    def _unique_name(self, row: ComponentRow) -> str:
        """A valid component name that no other row has."""
        wanted = re.sub(r"[^A-Za-z0-9_-]+", "-", self._name(row)).strip("-_")[:MAX_NAME]
        base = wanted or "component"
        endings = ["", "_2" if row.side == HOST else "_dsp"]
        endings += [f"_{number}" for number in range(3, len(self.rows) + 3)]
        taken = {name for named in self.names.values() for name in named.values()}
        return next(name for ending in endings if (name := base + ending) not in taken)

    def _name(self, row: ComponentRow) -> str:
        if row.side == SKEL:
            if interface := self._interface(row):
                return interface.rpartition("/")[2].removesuffix(".idl")
            names = [made.target.name for made in row.made]
            if len(names) == 1 and not archs_of(names):
                return names[0].removesuffix("_skel")
        project = self.hints.projects[row.candidate.folder].words[0]
        return project if "$" not in project else row.candidate.folder

    def _interface(self, row: ComponentRow) -> str:
        """The .idl file of the skel, or "" if it is not unique."""
        named = {
            directory_of(call, word, self.root)
            for call in row.part.first.calls
            for word in call.words
            if word.endswith(".idl")
        }.intersection(self.hints.tree.interfaces)
        inside = [p for p in self.hints.tree.interfaces if is_inside(p, row.candidate.folder)]
        found = list(named or inside)
        return found[0] if len(found) == 1 else ""

    def _table(self, row: ComponentRow) -> Table:
        component, why, result = row.part.component, row.part.why, row.part.first
        title = f"{row.side}.{self.names[row.side][row.candidate.folder]}"
        lines = [Line("source", row.candidate.folder)]
        if row.side == SKEL and (interface := self._interface(row)):
            lines.append(Line("idl", interface))
        if row.side != HOST:
            archs = self._archs(row, title)
            if archs != HEXAGON_ARCHS or len(row.part.results) > 1:
                lines.append(Line("archs", archs, why["archs"]))
        if component.preset:
            lines.append(Line("preset", component.preset, why["preset"]))
        if component.defines:
            reasons = [why["defines"]] if component.defines.keys() != {POLICY_MINIMUM} else []
            if POLICY_MINIMUM in component.defines:
                reasons.append("it asks for policies that CMake has removed")
            lines.append(Line("defines", component.defines, "; ".join(reasons)))
        lines += self._needs(row)
        if isinstance(result, ConfigureFailure):
            off = f"{title} cannot be configured for {SIDES[row.side]}: {result.reason}"
            return Table(title, "", tuple(lines), Unknown(off, result.remedy))
        options = dsp_options_that_are_off(result.calls).keys() - component.defines.keys()
        if options:
            both = {**component.defines, **dict.fromkeys(sorted(options), True)}
            lines.append(Line("defines", both, "options that are off: your choice", sure=False))
        lines += _test_files(result) if row.side != SKEL else []
        shipped = self._ships(row, result)
        lines += shipped.lines
        if cannot := self._cannot_ship(title, shipped):
            return Table(title, "", tuple(lines), cannot)
        for what in shipped.left_out:
            self._unknown(what, "Add it to 'artifacts' if it is to ship.")
        reason = evidence(row.made, self.root) or "other components need it"
        if row.side == DSP:
            reason += f"; it is also for the DSP: {why['programs']}"
        if row.candidate.calls:
            reason = f"{row.candidate.calls[0].where} builds it for the DSP"
        return Table(title, f"{SIDES[row.side]} side: {reason}", tuple(lines))

    def _archs(self, row: ComponentRow, title: str) -> tuple[str, ...]:
        """The archs that all targets are built for; `unknown` gets a reason for each other arch."""
        first, *rest = row.part.archs
        archs = row.part.component.archs  # type: ignore[union-attr]  # a Skel
        wanted = {with_arch(made.target.name, first) for made in row.made}
        for arch in rest if isinstance(row.part.first, Configured) else ():
            result = row.part.results[arch]
            names = {made.target.name for made in sided_targets(result, self.hints)}
            missing = {name.replace("{arch}", arch) for name in wanted} - names
            why = f"it builds no {', '.join(sorted(missing))}" if missing else ""
            if isinstance(result, ConfigureFailure):
                why = result.reason
            if why:
                archs = tuple(other for other in archs if other != arch)
                self._unknown(
                    f"{title} is left out for {arch}: {why}",
                    "Add it to 'archs' when that is corrected.",
                )
        return archs

    def _needs(self, row: ComponentRow) -> list[Line]:
        if not row.part.needs:
            return []
        installed = ", ".join(self.hints.projects[folder].where for folder in row.part.needs)
        names = tuple(self.names[row.side][folder] for folder in row.part.needs)
        return [Line("needs", names, f"find_package() finds packages that {installed} installs")]

    def _ships(self, row: ComponentRow, result: Configured) -> ShippedFiles:
        folder = row.candidate.folder
        if not row.made and (row.side, folder) in self.needed:
            return ShippedFiles((Line("install", False, "only other components use it"),))
        if row.side == DSP:  # all its programs and shared libraries ship
            files = (made.target.artifacts[0] for made in row.made)
            return ShippedFiles(files=tuple((f"dsp/{file.name}", file) for file in files))
        first = row.part.archs[0]
        return shipped_files(
            result,
            row.made,
            without=row.part.off,
            tests=row.part.tests,
            generic=lambda text: with_arch(text, first),
        )

    def _cannot_ship(self, title: str, shipped: ShippedFiles) -> Unknown | None:
        """Why a release cannot contain the component's files, if it cannot."""
        if shipped.nothing:
            return Unknown(
                f"{title} ships nothing: {shipped.nothing}",
                "Add install() rules, or list its files in 'artifacts'.",
            )
        for place, file in shipped.files:
            other, its = self.placed.get(place, (title, file))
            if other != title and its != file:
                return Unknown(
                    f"{title} and {other} both ship {place}",
                    "Rename one of them, or exclude it with 'artifacts'.",
                )
            if is_cdsprpc(file.name):
                return Unknown(
                    f"{title} ships {file.name}, which belongs to the device's system",
                    "Do not link it into other files: the device has it.",
                )
        self.placed |= {place: (title, file) for place, file in shipped.files}
        return None


def _test_files(result: Configured) -> list[Line]:
    opened, working = opened_data(result)
    copied, copying = copied_data(result)
    reasons = [f"tests work in the directory at {working}"] if opened else []
    reasons += [f"{copying} copies them, perhaps for tests"] if copied else []
    files = tuple(dict.fromkeys((*opened, *copied)))
    return [Line("test-files", files, "; ".join(reasons))] if files else []


def _disabled_with_needs(table: Table, off: Collection[str]) -> Table:
    """The table; as a comment if a table that it needs is a comment."""
    side = table.name.partition(".")[0]
    missing = [need for need in table.get("needs", ()) if f"{side}.{need}" in off]
    if table.off or not missing:
        return table
    what = f"{table.name} needs {', '.join(missing)}, which is a comment"
    return table._replace(off=Unknown(what, "Complete that first, then uncomment both."))
