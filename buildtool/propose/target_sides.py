"""Determines the side of each program and library of a configured tree."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import CMakeTarget
from buildtool.propose.configure import Configured, ConfigureResult
from buildtool.propose.text_hints import HEXAGON_SOURCE_EVIDENCE, TextHints, archs_of

HOST, SKEL = "host", "skel"
LIBRARIES = ("SHARED_LIBRARY", "MODULE_LIBRARY")
PROGRAM = "EXECUTABLE"
_RPC = re.compile(r"(^|[/:]|-l)(lib)?[acs]?dsprpc(\.so[.0-9]*)?$")
_FLAG = re.compile(r"^-m(hvx|hmx|v[67][0-9]$|cpu=hexagon)|^--target=hexagon")
_GENERATED = re.compile(r"_(skel|stub)\.(?:c|cc|cpp|cxx)$")


class SidedTarget(Value):
    """A program or library of the default build: its side ("" if there is no evidence), and why."""

    target: CMakeTarget
    side: str
    why: str


def sided_targets(result: ConfigureResult | None, hints: TextHints) -> tuple[SidedTarget, ...]:
    """The programs and shared libraries of a configured tree's default build."""
    if not isinstance(result, Configured):
        return ()
    return tuple(SidedTarget(target, *_side_of(target, result, hints)) for target in result.linked)


def split_by_side(
    host: ConfigureResult | None,
    skel: ConfigureResult | None,
    hints: TextHints,
    *,
    has_hexagon_side: bool,
) -> tuple[tuple[SidedTarget, ...], tuple[SidedTarget, ...]]:
    """The targets of the ARM64 side and those of the Hexagon side.

    The project was configured for both sides or for one; `has_hexagon_side` says whether its CMake
    files show a Hexagon side.  If they do, a target that only one of the two configurations has
    belongs to that side.  A program that both have belongs to ARM64.  A library without evidence
    belongs to each side that another target belongs to, or to ARM64 if there is none.
    """
    on_host, on_skel = sided_targets(host, hints), sided_targets(skel, hints)
    if has_hexagon_side and isinstance(host, Configured) and isinstance(skel, Configured):
        names = host.names & skel.names
        on_host = tuple(_one_side_only(made, HOST, "ARM64", names) for made in on_host)
        on_skel = tuple(_one_side_only(made, SKEL, "the DSP", names) for made in on_skel)
    known_sides = {made.side for made in (*on_host, *on_skel) if made.side}
    if not known_sides:
        known_sides = {SKEL} if has_hexagon_side and not isinstance(host, Configured) else {HOST}
    return (
        tuple(made for made in on_host if HOST in (made.side or known_sides)),
        tuple(
            made
            for made in on_skel
            if SKEL in (made.side or known_sides) and made.target.kind in LIBRARIES
        ),
    )


def _one_side_only(made: SidedTarget, side: str, name: str, both: Collection[str]) -> SidedTarget:
    if made.target.name in both:
        return made
    return made._replace(side=side, why=f"builds {made.target.name} for {name} only")


def _side_of(target: CMakeTarget, configured: Configured, hints: TextHints) -> tuple[str, str]:
    """The side of a target, and the evidence."""
    name, program = target.name, target.kind == PROGRAM
    for source in target.sources:
        if (match := _GENERATED.search(source.name)) and (match[1] == "stub" or not program):
            return (SKEL if match[1] == "skel" else HOST), f"compiles {source.name} into {name}"
    for word in (word for fragment in target.link for word in fragment.arguments):
        if _RPC.search(word):
            return HOST, f"links {name} with {Path(word).name}"
    # In a tree configured with a Hexagon profile every target has its flags.
    flags = (flag for group in target.groups for flag in group.flags)
    if not configured.step.arch and (flag := next(filter(_FLAG.search, flags), "")):
        return SKEL, f"compiles {name} with {flag}"
    if not program and (name.endswith(("_skel", "-skel")) or archs_of([name])):
        return SKEL, f"builds {name}"
    root = configured.step.root
    sources = [str(p.relative_to(root)) for p in target.sources if p.is_relative_to(root)]
    if found := hints.search_sources(HEXAGON_SOURCE_EVIDENCE, sources):
        return SKEL, f"compiles into {name} {found}"
    return (HOST, f"builds the program {name}") if program else ("", f"builds {name}")


def evidence(made: Iterable[SidedTarget], root: Path) -> str:
    """The evidence for a component's side: that of two targets, with file and line."""
    shown = []
    for row in sorted(made, key=lambda row: not row.side)[:2]:
        file, line = row.target.where
        place = file.relative_to(root) if file.is_relative_to(root) else file
        shown.append(f"{place}:{line} {row.why}")
    return "; ".join(shown)
