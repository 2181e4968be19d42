"""Finds the CMake projects of a tree, and configures each for the sides that it may have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

from buildtool.core.value import Value
from buildtool.drivers.cmake.failure_hints import POLICY_MINIMUM, REMOVED_POLICIES
from buildtool.drivers.cmake.file_api import LIBRARIES
from buildtool.project.components import Dsp, Host, Skel
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.propose.cmake_tree import POSSIBLE_HEXAGON, CMakeCall, directory_of
from buildtool.propose.configure import (
    Component,
    Configurator,
    Configured,
    ConfigureFailure,
    ConfigureResult,
)
from buildtool.propose.options import disable_step, enable_options, enable_tests
from buildtool.propose.proposal import Unknown
from buildtool.propose.target_sides import (
    ARCH_VARIABLES,
    DSP,
    FASTRPC_EVIDENCE,
    HEXAGON_EVIDENCE,
    HOST,
    PORTED_EVIDENCE,
    PORTED_SOURCE_EVIDENCE,
    PROGRAM,
    PROGRAM_CALL,
    SKEL,
    TextHints,
    archs_of,
    builds_skel,
    host_preset,
    is_inside,
    nested_builds,
    sided_targets,
    skel_preset,
)

MAX_COMPONENTS = 64
EXCLUDED_DIRECTORIES = {
    *("test", "tests", "testing", "example", "examples", "sample", "samples", "docs", "bench")
}
"""Directories whose projects are not shipped, unless there are no others."""
EMULATED_ARCH = "v68"
"""The arch of the emulated device."""
AnyComponent = TypeVar("AnyComponent", Host, Skel, Dsp)


class SideComponent(Value):
    """A CMake project as a component of one side."""

    component: Component
    # By arch ("" on the ARM64 side), the preferred one first
    results: Mapping[str, ConfigureResult]
    why: Mapping[str, str] = {}  # reasons for keys of the component
    off: tuple[str, ...] = ()  # targets that build the other side
    tests: frozenset[str] = frozenset()  # programs and libraries that only tests use
    needs: tuple[str, ...] = ()  # the directories of projects whose packages it finds

    @property
    def first(self) -> ConfigureResult:
        """The configuration for the first arch."""
        return next(iter(self.results.values()))

    @property
    def archs(self) -> tuple[str, ...]:
        """The known archs, the preferred one first; ("",) on the ARM64 side."""
        archs = self.component.archs if isinstance(self.component, Skel) else ()
        more = archs if archs != HEXAGON_ARCHS else ()
        return tuple(dict.fromkeys([*self.results, *more]))


class Candidate(Value):
    """A CMake project that may be a component."""

    folder: str
    adds: frozenset[str]  # the directories that it adds
    calls: tuple[CMakeCall, ...]  # those of other projects that build it in a separate step
    sides: Mapping[str, SideComponent]  # its configurations by side

    def first(self, side: str) -> ConfigureResult | None:
        return self.sides[side].first if side in self.sides else None


class CandidateFinder:
    """Finds the candidates of a tree; `unknown` collects what is left out."""

    def __init__(self, hints: TextHints, configurator: Configurator) -> None:
        self.hints = hints
        self.configurator = configurator
        self.unknown: list[Unknown] = []
        self.steps = nested_builds(hints.calls, hints)
        self.added: set[str] = set()

    def candidates(self) -> list[Candidate]:
        """The projects that may be components, without those that are part of another project."""
        projects = self.hints.projects
        main = [p for p in projects if not EXCLUDED_DIRECTORIES & set(p.split("/"))] or list(
            projects
        )
        found: list[Candidate] = []
        for folder in main:
            if folder in self.added or self._is_left_out(folder, found):
                continue
            if len(found) == MAX_COMPONENTS:
                self._report_left_out(
                    f"there are more than {MAX_COMPONENTS} projects: {folder} and others"
                )
                break
            found.append(self._candidate(folder))
        excluded = [p for p in projects if p not in main and p not in self.added]
        if excluded:
            more = " …" if len(excluded) > 5 else ""
            self._report_left_out(
                f"projects of tests and examples: {', '.join(excluded[:5])}{more}"
            )
        return self._with_all_archs(found)

    def _with_all_archs(self, found: Sequence[Candidate]) -> list[Candidate]:
        """The candidates; skels with unknown archs are configured for the archs of the others."""
        skels = [candidate.sides[SKEL] for candidate in found if SKEL in candidate.sides]
        archs = sorted({arch for part in skels for arch in part.archs})
        return [
            c._replace(
                sides={side: self._with_archs(part, archs) for side, part in c.sides.items()}
            )
            for c in found
        ]

    def _with_archs(self, part: SideComponent, archs: Sequence[str]) -> SideComponent:
        has_archs = not isinstance(part.component, Skel) or part.component.archs != HEXAGON_ARCHS
        if has_archs or all(made.side != SKEL for made in sided_targets(part.first, self.hints)):
            return part
        rest = [arch for arch in archs if arch not in part.results]
        results = {arch: self.configurator(part.component, arch) for arch in rest}
        return part._replace(results={**part.results, **results})

    def _report_left_out(self, what: str) -> None:
        remedy = "Set 'source' of a component to the directory if it is to be built."
        self.unknown.append(Unknown(f"left out: {what}", remedy))

    def _is_left_out(self, folder: str, found: Sequence[Candidate]) -> bool:
        """Whether another project builds this one in a separate step, or may add it."""
        if calls := self.steps.get(folder):
            if builds_skel(folder, calls, self.hints):
                return False
            self._report_left_out(f"{folder}, which {calls[0].where} builds in a separate step")
            return True
        if not any(is_inside(folder, candidate.folder) for candidate in found):
            return False
        root = self.hints.tree.root
        adds = [c for c in self.hints.calls if c.name == "add_subdirectory" and c.words]
        call = next((c for c in adds if directory_of(c, c.words[0], root) == folder), None)
        if call:
            self._report_left_out(f"{folder}, which {call.where} adds in another configuration")
        return call is not None

    def _candidate(self, folder: str) -> Candidate:
        calls = self.steps.get(folder, ())
        sides: dict[str, SideComponent] = {}
        adds: frozenset[str] = frozenset()
        if not calls:
            sides[HOST] = self._host(folder)
            adds = self._record_added(sides[HOST].first)
        if not calls and (programs := self._programs(folder, adds, sides[HOST].first)):
            sides[DSP] = programs
            adds |= self._record_added(programs.first)
        elif calls or self._may_be_skel(folder, adds, sides[HOST].first):
            sides[SKEL] = self._skel(folder, adds, calls)
            for result in sides[SKEL].results.values():
                adds |= self._record_added(result)
        return Candidate(folder, adds, calls, sides)

    def _record_added(self, result: ConfigureResult) -> frozenset[str]:
        """Record the directories that a project adds and its nested builds; returns the former."""
        root = self.hints.tree.root
        if isinstance(result, Configured):
            places = result.installation.directories[1:]
            adds = {str(p.relative_to(root)) for p in places if p.is_relative_to(root)}
        else:
            added = [c for c in result.calls if c.name == "add_subdirectory" and c.words]
            adds = {directory_of(call, call.words[0], root) for call in added}
        self.added |= adds
        self.steps |= nested_builds(result.calls, self.hints)
        return frozenset(adds)

    def _may_be_skel(self, folder: str, adds: frozenset[str], host: ConfigureResult) -> bool:
        hints = self.hints
        if hints.search(HEXAGON_EVIDENCE, folder, adds):
            return True
        if any(made.side == SKEL for made in sided_targets(host, hints)):
            return True
        if self._builds_skels(folder):
            return False
        interfaces = any(is_inside(idl, folder) for idl in hints.tree.interfaces)
        return interfaces or bool(hints.search(POSSIBLE_HEXAGON, folder, adds))

    def _builds_skels(self, folder: str) -> bool:
        """Whether its Hexagon side is a separate project."""
        return any(
            is_inside(calls[0].file, folder) and builds_skel(other, calls, self.hints)
            for other, calls in self.steps.items()
        )

    def _programs(
        self, folder: str, adds: frozenset[str], host: ConfigureResult
    ) -> SideComponent | None:
        """The project as programs for the DSP; None if it has none there, or calls the DSP."""
        search = partial(self.hints.search, folder=folder, parts=adds)
        interfaces = any(is_inside(idl, folder) for idl in self.hints.tree.interfaces)
        if interfaces or search(FASTRPC_EVIDENCE) or not search(PROGRAM_CALL):
            return None
        ported = search(PORTED_EVIDENCE) or self.hints.search_sources(
            PORTED_SOURCE_EVIDENCE, sources_of(host)
        )
        if not ported or self._builds_skels(folder):
            return None
        variables = self._arch_variables(folder, adds, ())
        component = Dsp(folder, defines=dict.fromkeys(variables, "{arch}"))
        result, component = self._first_configurable(EMULATED_ARCH, component, Dsp(folder))
        why = {"programs": ported, "archs": "", "preset": ""}
        reasons = ["the variable of the arch"]
        if isinstance(result, Configured):
            used = {n: v for n, v in component.defines.items() if n not in result.unused}
            component = component._replace(defines=used)
            reasons = reasons if used else []
            result, component, tests = enable_tests(
                result, component, self.configurator, EMULATED_ARCH
            )
            reasons += [f"the option at {tests} adds tests"] if tests else []
            if all(target.kind != PROGRAM for target in result.linked):
                return None
        why["defines"] = "; ".join(reasons)
        return SideComponent(component, {EMULATED_ARCH: result}, why)

    def _host(self, folder: str) -> SideComponent:
        preset = host_preset(self.configurator.presets(folder))
        result, component = self._first_configurable("", Host(folder, preset=preset), Host(folder))
        why = {"preset": "chosen by its name"}
        reasons: list[str] = []
        if isinstance(result, ConfigureFailure):
            return SideComponent(component, {"": result}, why)
        result, component, options = enable_options(result, component, self.configurator)
        if options:
            reasons.append(f"the option at {options} adds programs or libraries for the DSP")
        without_tests = result.names
        result, component, tests = enable_tests(result, component, self.configurator)
        if tests:
            reasons.append(f"the option at {tests} adds tests")
        why["defines"] = "; ".join(reasons)
        part = SideComponent(component, {"": result}, why, tests=result.names - without_tests)
        called = nested_builds(result.calls, self.hints)
        rows = [r for f, r in called.items() if builds_skel(f, r, self.hints)]
        if not rows:
            return part
        first = min((calls[0] for calls in rows), key=result.calls.index)
        if turned := disable_step(result, component, first, self.configurator):
            self._record_added(result)  # only the first configuration has these nested builds
            reasons.append(f"otherwise {first.where} builds the skels")
            why["defines"] = "; ".join(reasons)
            return part._replace(component=turned[1], results={"": turned[0]}, why=why)
        return part._replace(off=tuple(call.words[0] for calls in rows for call in calls))

    def _skel(self, folder: str, adds: frozenset[str], calls: Sequence[CMakeCall]) -> SideComponent:
        preset, archs = skel_preset(self.configurator.presets(folder))
        why = {"preset": "chosen by its name", "defines": "the variable of the arch"}
        why["archs"] = "from its presets" if archs else "those that can be configured"
        if calls:
            # In a call that CMake did not run the arch may be a variable; the file has the values.
            archs = archs_of(v for call in calls for v in call.definitions.values())
            archs = archs or archs_of([self.hints.tree.files.get(calls[0].file, "")])
            why["archs"] = f"as {calls[0].where} builds it"
        variables = self._arch_variables(folder, adds, calls) if "{arch}" not in preset else ()
        component = Skel(folder, preset=preset, defines=dict.fromkeys(variables, "{arch}"))
        simple = (component._replace(preset=""), Skel(folder))
        first = EMULATED_ARCH if EMULATED_ARCH in archs or not archs else archs[0]
        result, component = self._first_configurable(first, component, *simple)
        named = self._archs_of_libraries(result)
        if not archs and named and named != (first,):
            archs, why["archs"] = named, "from the names of its libraries"
            if first not in archs:
                first = archs[0]
                result, component = self._first_configurable(first, component)
        if isinstance(result, Configured):
            used = {n: v for n, v in component.defines.items() if n not in result.unused}
            component = component._replace(defines=used)
        rest = [arch for arch in archs if arch != first and isinstance(result, Configured)]
        results = {first: result, **{arch: self.configurator(component, arch) for arch in rest}}
        return SideComponent(component._replace(archs=archs or HEXAGON_ARCHS), results, why)

    def _arch_variables(
        self, folder: str, adds: frozenset[str], calls: Sequence[CMakeCall]
    ) -> list[str]:
        """The variables that may set the arch: those that callers pass, else known names.  CMake
        reports later which are used."""
        given = {n for call in calls for n, v in call.definitions.items() if v in HEXAGON_ARCHS}
        given |= {n for call in calls for n in call.definitions.keys() & set(ARCH_VARIABLES)}
        known = [
            n for n in ARCH_VARIABLES if self.hints.search(re.compile(rf"\b{n}\b"), folder, adds)
        ]
        return sorted(given or known)

    def _first_configurable(
        self, arch: str, *components: AnyComponent
    ) -> tuple[ConfigureResult, AnyComponent]:
        """The first of `components` that can be configured, else the first one."""
        failed: list[tuple[ConfigureResult, AnyComponent]] = []
        for component in components:
            tried, result = component, self.configurator(component, arch)
            if isinstance(result, ConfigureFailure) and REMOVED_POLICIES in result.reason:
                tried = component._replace(defines={**component.defines, POLICY_MINIMUM: "3.5"})
                result = self.configurator(tried, arch)
            if isinstance(result, Configured):
                return result, tried
            failed.append((result, tried))
        return failed[0]

    def _archs_of_libraries(self, result: ConfigureResult) -> tuple[str, ...]:
        """The archs in the names of shared libraries."""
        made = sided_targets(result, self.hints)
        return archs_of(row.target.name for row in made if row.target.kind in LIBRARIES)


def sources_of(result: ConfigureResult) -> list[str]:
    """The sources in the tree of all targets of a configured project."""
    if not isinstance(result, Configured):
        return []
    root = result.step.root
    paths = (path for target in result.model.targets for path in target.sources)
    return [str(path.relative_to(root)) for path in paths if path.is_relative_to(root)]
