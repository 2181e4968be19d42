"""`buildtool package [TARGET]`."""

from __future__ import annotations

from pathlib import Path
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


def package(
    target: TargetName = "",
    *,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="Format of the archive; may be repeated.  Default: the target's.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Directory of the archives; default: dist."
        ),
    ] = None,
    verify_reproducible: Annotated[
        bool,
        typer.Option(
            "--verify-reproducible",
            help="Make the archives a second time under other conditions, and compare.",
        ),
    ] = False,
    attest: Annotated[
        bool,
        typer.Option("--attest", help="Write an SBOM and the provenance beside each archive."),
    ] = False,
    sign: Annotated[
        Path | None,
        typer.Option(
            "--sign",
            metavar="KEY",
            help="Sign archives and documents with this SSH key; implies --attest.",
        ),
    ] = None,
    jobs: Jobs = 0,
    keep_going: KeepGoing = False,
    verbose: Verbose = False,
    build_type: BuildType = "",
    strict_isa: StrictIsa = False,
    launcher: CompilerLauncher = "",
    no_cache: NoCache = False,
    json: Json = False,
) -> None:
    """Build what changed, and make archives of what a target ships.

    The archives are the same bytes wherever they are made of the same sources.
    """
    from buildtool.cli.package_target import package_target
    from buildtool.engine.context import Options

    package_target(
        target,
        formats=formats or (),
        output=output,
        twice=verify_reproducible,
        attest=attest,
        key=sign,
        verbose=verbose,
        build_type=build_type,
        strict_isa=strict_isa,
        as_json=json,
        options=Options(jobs, keep_going, launcher, use_caches=not no_cache),
    )
