"""`buildtool doctor`: what this machine can build for, and what to do about what is missing."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from buildtool.cli.options import Json, here, print_json
from buildtool.cli.show import show, write
from buildtool.core.escape import escape

if TYPE_CHECKING:
    from buildtool.toolchains.survey import Fault, Survey, TargetStatus, ToolStatus

COLOURS = {"ready": 32, "yes": 32, "missing": 33, "unfit": 31, "no": 31}
MIN_WIDTH = 60
INDENT = "    "


def doctor(*, json: Json = False) -> None:
    """Tell what this machine can build for, with what, and how to mend what is missing.

    Exit status 1 when a target of the project cannot be built.
    """
    from buildtool.project.model import Header, Project
    from buildtool.project.read import NoProjectError, find_project
    from buildtool.toolchains.survey import survey

    project: Project | None
    try:
        project = find_project(here())
    except NoProjectError:
        project = None
    found = survey(project or Project(here(), Header(name="none"), {}, {}, {}))
    if json:
        print_json({"project": project.name if project else None, **found.as_json()})
    else:
        _show(found, project.name if project else "")
    if not found.all_buildable:
        raise typer.Exit(1)


def _show(found: Survey, project: str) -> None:
    width = max(MIN_WIDTH, shutil.get_terminal_size().columns)
    before = ""
    show(f"{'':<15}{'with':<10}{'state':<10}{'version':<14}where")
    for row in found.tools:
        _show_tool(row, "" if row.platform == before else row.platform, width)
        before = row.platform
    told = _show_targets(found.targets, project, width) if found.targets else set()
    ready = [row for row in found.tools if row.state == "ready"]
    others = [row for row in found.tools if row.state in ("missing", "unfit")]
    for_whom = f", and not needed to build {project}" if project else ""
    more = _show_faults(f"Not ready{for_whom}:", others, told, width)
    _show_faults("Worth knowing:", ready, told, width)
    if more:
        show("\nWhere each was looked for: buildtool doctor --json")


def _show_faults(title: str, rows: Iterable[ToolStatus], told: set[str], width: int) -> bool:
    """Print the faults of `rows` that were not told yet; returns whether there were any."""
    for row in rows:
        for fault in row.faults:
            if fault.what not in told:
                told.add(fault.what)
                if title:
                    show(f"\n{title}")
                    title = ""
                named = fault if row.toolchain in fault.what else _named(fault, row.toolchain)
                _show_fault(named, width, why=False)
    return not title


def _show_tool(row: ToolStatus, platform: str, width: int) -> None:
    start = f"{platform:<15}{row.toolchain:<10}"
    version = row.version if len(row.version) < 14 else row.version[:12] + "…"
    room = width - len(start) - 24
    where = _shortened(row.where, room)
    if row.state == "not here":
        where = row.faults[0].why[:room]
    line = f"{row.state:<10}{version:<14}{where}".rstrip()
    write(escape(start) + _coloured(escape(line), row.state) + "\n")


def _show_targets(targets: Iterable[TargetStatus], project: str, width: int) -> set[str]:
    """Print what can be built of `project`; returns what was told to be wrong."""
    targets = list(targets)
    told: set[str] = set()
    names = max(len("target"), *(len(target.name) for target in targets)) + 2
    show(f"\n{'target':<{names}}{'buildable':<11}with")
    for target in targets:
        word = "yes" if target.buildable else "no"
        start = f"{target.name:<{names}}{word:<11}"
        profiles = textwrap.fill(
            ", ".join(target.profiles) or "–",
            width,
            initial_indent=start,
            subsequent_indent=" " * len(start),
            break_on_hyphens=False,
        )
        write(target.name.ljust(names) + _coloured(escape(profiles[names:]), word) + "\n")
        for fault in target.faults:
            if fault.what in told:
                _paragraph(f"{fault.what}: see above", width, INDENT, INDENT)
            else:
                told.add(fault.what)
                _show_fault(fault, width, why=True)
    fit = sum(target.buildable for target in targets)
    noun = "target" if len(targets) == 1 else "targets"
    show(f"\n{project}: {fit} of {len(targets)} {noun} can be built here.")
    return told


def _named(fault: Fault, toolchain: str) -> Fault:
    return dataclasses.replace(fault, what=f"{toolchain}: {fault.what}")


def _show_fault(fault: Fault, width: int, *, why: bool) -> None:
    _paragraph(fault.what, width, INDENT, INDENT)
    if why and fault.why:
        _paragraph(fault.why, width, INDENT + "  ", INDENT + "  ")
    if fault.remedy:
        _paragraph(fault.remedy, width, INDENT + "→ ", INDENT + "  ")


def _paragraph(text: str, width: int, first: str, then: str) -> None:
    for line in text.splitlines():
        show(
            textwrap.fill(
                line, width, initial_indent=first, subsequent_indent=then, break_on_hyphens=False
            )
        )
        first = then


def _shortened(path: str, room: int) -> str:
    """`path` with the home directory as `~`, and without its beginning where it is too long."""
    home = str(Path.home())
    if path.startswith(f"{home}/"):
        path = "~" + path[len(home) :]
    while len(path) > room and "/" in path.removeprefix("…/").lstrip("/"):
        path = "…/" + path.removeprefix("…/").lstrip("/").split("/", 1)[1]
    return path if len(path) <= room else "…" + path[1 - room :]


def _coloured(line: str, word: str) -> str:
    """`line`, with the colour of `word`, its first, on a terminal that shows colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain or not sys.stdout.isatty() or word not in COLOURS:
        return line
    return f"\x1b[{COLOURS[word]}m{word}\x1b[0m{line[len(word) :]}"
