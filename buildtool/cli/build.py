"""`buildtool build [TARGET]`."""

from __future__ import annotations

from typing import Annotated

import typer

from buildtool.cli.options import Json


def build(
    target: Annotated[str, typer.Argument(help="Target of buildtool.toml.")] = "",
    *,
    plan: Annotated[bool, typer.Option("--plan", help="Print the steps; do nothing.")] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Commands at once, of all steps together.")
    ] = 0,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", "-k", help="After a failure build what does not need it."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print all that the tools print.")
    ] = False,
    build_type: Annotated[
        str, typer.Option(help="CMake's build type, in place of the target's: Debug, Release, ...")
    ] = "",
    launcher: Annotated[
        str, typer.Option(help="Compiler launcher of both sides: ccache, sccache, ... or none.")
    ] = "",
    json: Json = False,
) -> None:
    """Build everything that a target ships: the ARM64 side and its skels."""
    from buildtool.build.building import Options
    from buildtool.cli.build_target import build_target

    build_target(
        target,
        plan=plan,
        verbose=verbose,
        build_type=build_type,
        as_json=json,
        options=Options(jobs=jobs, keep_going=keep_going, launcher=launcher),
    )
