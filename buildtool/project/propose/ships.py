"""What a component ships: what its install() rules put down, else files of its build tree."""

from __future__ import annotations

import re
from collections.abc import Mapping

from buildtool.project.propose.components import Component
from buildtool.project.propose.facts import SKEL, Made, Reading
from buildtool.project.propose.proposal import Line, Unknown
from buildtool.project.propose.variables import BUILD, below

_ARCH = re.compile(r"(?<![A-Za-z0-9])v[0-9]{2}(?![0-9A-Za-z])")
_VARIABLE = re.compile(r"\$(?:ENV)?\{[^}]*\}|\$<[^>]*>")
_SPECIAL = re.compile(r"[*?\[\]]")
Found = tuple[list[Line], list[Unknown]]


def ships(component: Component, side: str, *, both: bool, alone: bool = False) -> Found:
    """The lines `targets` and `artifacts` of the component as one of `side`.

    `both` when it is a component of each side, so that what tells no side counts for none;
    `alone` when its other targets, and its install() rules, are not to be carried out.
    """
    reading = component.reading
    kinds = ("SHARED", "MODULE") if side == SKEL else ("EXECUTABLE", "SHARED", "MODULE")
    made = [m for m in reading.made if m.kind in kinds and m.side in _sides(side, both=both)]
    lines = []
    named = list(dict.fromkeys(_with_arch(m.name, component) for m in made))
    by_arch = named and all("{arch}" in name and "$" not in name for name in named)
    if side == SKEL and by_arch:
        lines.append(Line("targets", tuple(named), f"as {made[0].where} names them"))
    rule = next(
        (i for i in reading.installs if i.side in ("", side) and _ships(i.words, made)), None
    )
    if alone and made:
        names = tuple(dict.fromkeys(m.name for m in made if "$" not in m.name))
        lines.append(Line("targets", names, "without what it would build of the other side"))
    elif rule:
        return lines, []
    if not made:
        if any(i.side in ("", side) for i in reading.installs):
            return lines, []
        what = "skel" if side == SKEL else "program or shared library"
        return lines, [
            Unknown(
                f"{reading.where} makes no {what} that could be told, and installs none",
                "Name what ships in 'artifacts', or add install() rules.",
            )
        ]
    patterns = dict.fromkeys(_artifact(m, reading, component) for m in made)
    why = f"it has no install() rules; {made[0].where} makes it"
    if alone:
        why = "its install() rules may want what is left out"
    lines.append(Line("artifacts", tuple(patterns), why))
    return lines, []


def _sides(side: str, *, both: bool) -> tuple[str, ...]:
    # In a tree of the ARM64 side only, or of the Hexagon side only, no condition has to tell.
    return (side,) if both and side == SKEL else (side, "")


def _ships(words: tuple[str, ...], made: list[Made]) -> bool:
    """Whether the rule puts down one of these targets, or files."""
    if words[0] != "TARGETS":
        return words[0] in ("FILES", "PROGRAMS", "DIRECTORY") and not made
    return bool({m.name for m in made} & set(words)) or any("$" in word for word in words[1:])


def _with_arch(text: str, component: Component) -> str:
    for name in component.arch_variables:
        text = text.replace(f"${{{name}}}", "{arch}")
    return _ARCH.sub("{arch}", text)


def _artifact(made: Made, reading: Reading, component: Component) -> str:
    """Where in the build tree its file is: a glob."""
    own: Mapping[str, str] = reading.properties.get(made.name, {})
    program = made.kind == "EXECUTABLE"
    prefix = own.get("PREFIX", "" if program else "lib")
    suffix = own.get("SUFFIX", "" if program else ".so")
    name = prefix + own.get("OUTPUT_NAME", made.name) + suffix
    place = own.get("RUNTIME_OUTPUT_DIRECTORY" if program else "LIBRARY_OUTPUT_DIRECTORY", "")
    folder = (below(place, made.output, BUILD) or "**") if place else made.output
    path = name if folder == "." else f"{folder}/{name}"
    path = _SPECIAL.sub("?", path) if folder != "**" else "**/" + _SPECIAL.sub("?", name)
    return _VARIABLE.sub("*", _with_arch(path, component))
