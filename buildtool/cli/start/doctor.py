"""`buildtool doctor`: what this machine can build for, and how to install what is missing."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.cli.options import Json
from buildtool.cli.show import print_json, show, shows_colours, write
from buildtool.core.escape import escape

if TYPE_CHECKING:
    from buildtool.toolchains.survey import Fault, Survey, TargetStatus, ToolStatus

COLOURS = {"ready": 32, "yes": 32, "missing": 33, "unfit": 31, "no": 31}
MIN_WIDTH = 60
INDENT = "    "


def doctor(*, json: Json = False) -> int:
    """Check which targets this machine can build.

    For everything that is missing, it prints how to install it. The exit status is 1 if a target
    of the project cannot be built.
    """
    from buildtool.project.model import Header, Project
    from buildtool.project.read import NoProjectError, find_project
    from buildtool.toolchains.survey import survey

    project: Project | None
    try:
        project = find_project(Path.cwd())
    except NoProjectError:
        project = None
    found = survey(project or Project(Path.cwd(), Header(name="none"), {}, {}, {}))
    if json:
        print_json({"project": project.name if project else None, **found.as_json()})
    else:
        _show(found, project.name if project else "")
    return int(not found.all_buildable)


def _show(found: Survey, project: str) -> None:
    width = max(MIN_WIDTH, shutil.get_terminal_size().columns)
    before = ""
    show(f"{'':<15}{'with':<10}{'state':<10}{'version':<14}where")
    for row in found.tools:
        _show_tool(row, "" if row.platform == before else row.platform, width)
        before = row.platform
    shown = _show_targets(found.targets, project, width) if found.targets else set()
    ready = [row for row in found.tools if row.state == "ready"]
    others = [row for row in found.tools if row.state in ("missing", "unfit")]
    scope = f", and not needed to build {project}" if project else ""
    more = _show_faults(f"Not ready{scope}:", others, shown, width)
    _show_faults("Worth knowing:", ready, shown, width)
    if more:
        show("\nAll searched places: buildtool doctor --json")


def _show_faults(title: str, rows: Iterable[ToolStatus], shown: set[str], width: int) -> bool:
    """Print the faults of `rows` that are not in `shown`; returns whether there are any."""
    for row in rows:
        for fault in row.faults:
            if fault.what not in shown:
                shown.add(fault.what)
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
    """Print which targets of `project` can be built; returns the faults it printed."""
    targets = list(targets)
    shown: set[str] = set()
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
            if fault.what in shown:
                _paragraph(f"{fault.what}: see above", width, INDENT, INDENT)
            else:
                shown.add(fault.what)
                _show_fault(fault, width, why=True)
    fit = sum(target.buildable for target in targets)
    noun = "target" if len(targets) == 1 else "targets"
    show(f"\n{project}: {fit} of {len(targets)} {noun} can be built here.")
    return shown


def _named(fault: Fault, toolchain: str) -> Fault:
    return fault._replace(what=f"{toolchain}: {fault.what}")


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
    """`path` with `~` for the home directory, cut at the start to `room` characters."""
    home = str(Path.home())
    if path.startswith(f"{home}/"):
        path = "~" + path[len(home) :]
    while len(path) > room and "/" in path.removeprefix("…/").lstrip("/"):
        path = "…/" + path.removeprefix("…/").lstrip("/").split("/", 1)[1]
    return path if len(path) <= room else "…" + path[1 - room :]


def _coloured(line: str, word: str) -> str:
    """`line` with its first word, `word`, in colour if the terminal shows colours."""
    if word not in COLOURS or not shows_colours(sys.stdout):
        return line
    return f"\x1b[{COLOURS[word]}m{word}\x1b[0m{line[len(word) :]}"
