"""`buildtool run` without its options: most runs have none, and need no typer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import flow
from buildtool.cli.screen import Screen
from buildtool.core.errors import UsageError
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.engine.context import Options


def run_program(
    device: str = "sim",
    *,
    command: Sequence[str] = (),
    target: str = "",
    soc: str = "",
    verbose: bool = False,
    build_type: str = "",
    as_json: bool = False,
    options: Options | None = None,
) -> int:
    """Build what `target` ships, run `command` on `device`, and return the program's status.

    Without a command it runs the only program that the target ships.
    """
    from buildtool.deploy.emulated.socs import DEFAULT_SOC

    if device != "sim":
        raise UsageError(
            f"there is no device {device!r}",
            why="known: sim, the emulated device",
            remedy="buildtool run sim -- bin/PROGRAM",
        )
    project = find_project(Path.cwd())
    name = target or project.header.default_target
    if build_type:
        project = flow.with_build_type(project, name, build_type)
    result = flow.run_emulated(
        project,
        name,
        command,
        soc_name=soc or DEFAULT_SOC,
        listener=Screen(quiet=True, verbose=verbose),
        options=options,
        stdout=sys.stderr.fileno() if as_json else None,
    )
    if as_json:
        from buildtool.cli.options import print_json

        print_json(result.as_json())
    return result.status
