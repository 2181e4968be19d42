"""`buildtool run [DEVICE] -- PROGRAM [ARGUMENT...]`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from buildtool.cli.options import BuildType, Jobs, Json, KeepGoing, Launcher, Verbose
from buildtool.cli.typer_classes import Command


class RunCommand(Command):
    """Keeps the arguments after `--` apart: all of them are the program's."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if "--" in args:
            cut = args.index("--")
            ctx.obj = args[cut + 1 :]
            args = args[:cut]
        return super().parse_args(ctx, args)


COMMAND_CLASS = RunCommand


def run(
    ctx: typer.Context,
    device: Annotated[
        str, typer.Argument(metavar="[DEVICE]", help="Device to run on; default: sim.")
    ] = "sim",
    *,
    target: Annotated[
        str, typer.Option("--target", metavar="TARGET", help="Target; default: the device's.")
    ] = "",
    soc: Annotated[
        str, typer.Option("--soc", metavar="SOC", help="SoC that the emulated device imitates.")
    ] = "",
    jobs: Jobs = 0,
    keep_going: KeepGoing = False,
    verbose: Verbose = False,
    build_type: BuildType = "",
    launcher: Launcher = "",
    json: Json = False,
) -> None:
    """Build what changed and run a program on a device.

    The exit status is the program's: 128+n after signal n, and 125 if it could not be run.
    With --json the program's output goes to standard error.

    PROGRAM is a path in the release, such as bin/demo; default: the target's only program.
    """
    from buildtool.cli.run_program import run_program
    from buildtool.engine.context import Options

    status = run_program(
        device,
        command=ctx.obj or (),
        target=target,
        soc=soc,
        verbose=verbose,
        build_type=build_type,
        as_json=json,
        options=Options(jobs=jobs, keep_going=keep_going, launcher=launcher),
    )
    raise typer.Exit(status)
