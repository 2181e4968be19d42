"""`buildtool ide [TARGET]`: what editors need to open both sides of a project."""

from __future__ import annotations

from typing import Annotated

import typer

from buildtool.cli.options import Json, here, print_json
from buildtool.cli.show import show
from buildtool.core.errors import UsageError


def ide(
    target: Annotated[str, typer.Argument(help="Target whose commands clangd is given.")] = "",
    *,
    arch: Annotated[
        str, typer.Option(help="DSP arch to look at skels with; default: the target's first.")
    ] = "",
    json: Json = False,
) -> None:
    """Write compile_commands.json for both sides, and CMake presets for every component.

    Build trees are configured, not built; your own files of these names stay as they are.
    """
    from buildtool import flow
    from buildtool.cli.screen import Screen
    from buildtool.plan.plan import find_target
    from buildtool.project.read import find_project

    project = find_project(here())
    name = target or project.header.default_target
    archs = find_target(project, name).archs
    if arch and arch not in archs:
        raise UsageError(
            f"the target {name!r} has no arch {arch!r}",
            why=f"it has: {', '.join(archs) or 'none'}",
            remedy="Name one of these, or add it to the target's archs.",
        )
    written, missing = flow.prepare_editors(project, name, arch, Screen(quiet=True))
    if json:
        files = [file.as_json() for file in written]
        print_json({"target": name, "written": files, "missing_sources": missing})
        return
    for file in written:
        path = file.path.relative_to(project.root)
        show(f"{path}  {'written' if file.changed else 'up-to-date'}")
        if file.note:
            show(f"  {file.note}")
    if missing:
        show(f"{missing} sources are still to be made: buildtool build {name}")
