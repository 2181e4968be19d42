"""`buildtool run [DEVICE] -- PROGRAM [ARGUMENT...]`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from buildtool.cli.options import (
    BuildType,
    Jobs,
    Json,
    KeepGoing,
    Launcher,
    Verbose,
    here,
    print_json,
)
from buildtool.core.errors import UsageError


class RunCommand(TyperCommand):
    """Keeps what follows `--` apart: it is the program's, whatever it looks like."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            cut = args.index("--")
            ctx.obj = args[cut + 1 :]
            args = args[:cut]
        return super().parse_args(ctx, args)


def run(
    ctx: typer.Context,
    device: Annotated[str, typer.Argument(help="Device to run on.")] = "sim",
    *,
    target: Annotated[str, typer.Option(help="Target to build; default: the device's.")] = "",
    soc: Annotated[str, typer.Option(help="SoC that the emulated device stands in for.")] = "",
    jobs: Jobs = 0,
    keep_going: KeepGoing = False,
    verbose: Verbose = False,
    build_type: BuildType = "",
    launcher: Launcher = "",
    json: Json = False,
) -> None:
    """Build what changed, and run a program on a device: run sim -- bin/PROGRAM.

    The exit status is the program's, 128+n for a signal, and 125 when it could not be run.
    With --json the program's output goes to standard error.
    """
    from buildtool import flow
    from buildtool.cli.screen import Screen
    from buildtool.deploy.emulated.socs import DEFAULT_SOC
    from buildtool.engine.context import Options
    from buildtool.project.read import find_project

    if device != "sim":
        raise UsageError(
            f"there is no device {device!r}",
            why="known: sim, the emulated device",
            remedy="buildtool run sim -- bin/PROGRAM",
        )
    project = find_project(here())
    name = target or project.header.default_target
    if build_type:
        project = flow.with_build_type(project, name, build_type)
    result = flow.run_emulated(
        project,
        name,
        ctx.obj or [],
        soc_name=soc or DEFAULT_SOC,
        listener=Screen(quiet=True, verbose=verbose),
        options=Options(jobs=jobs, keep_going=keep_going, launcher=launcher),
        stdout=sys.stderr.fileno() if json else None,
    )
    if json:
        print_json(result.as_json())
    raise typer.Exit(result.status)
