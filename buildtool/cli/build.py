"""`buildtool build [TARGET]`."""

from __future__ import annotations

from typing import Annotated

import typer

from buildtool.cli.options import (
    BuildType,
    CompilerLauncher,
    Jobs,
    Json,
    KeepGoing,
    NoCache,
    StrictIsa,
    TargetName,
    Verbose,
)


def build(
    target: TargetName = "",
    *,
    plan: Annotated[bool, typer.Option("--plan", help="Print the steps; build nothing.")] = False,
    jobs: Jobs = 0,
    keep_going: KeepGoing = False,
    verbose: Verbose = False,
    build_type: BuildType = "",
    strict_isa: StrictIsa = False,
    launcher: CompilerLauncher = "",
    no_cache: NoCache = False,
    json: Json = False,
) -> None:
    """Build what a target ships: its ARM64 side and its skels."""
    from buildtool.cli.build_target import build_target
    from buildtool.engine.context import Options

    build_target(
        target,
        plan=plan,
        verbose=verbose,
        build_type=build_type,
        strict_isa=strict_isa,
        as_json=json,
        options=Options(jobs, keep_going, launcher, use_caches=not no_cache),
    )
