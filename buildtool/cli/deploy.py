"""`buildtool deploy [DEVICE]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli.options import (
    BuildType,
    CompilerLauncher,
    DeviceTarget,
    Force,
    Jobs,
    Json,
    KeepGoing,
    On,
    Share,
    Soc,
    StrictIsa,
    Verbose,
    Wait,
    not_with_on,
    print_json,
    wait_seconds,
    without_on,
)
from buildtool.cli.typer_classes import ARGUMENTS
from buildtool.project.model import BUILT_IN_TARGET


def deploy(
    ctx: typer.Context,
    device: Annotated[
        str, typer.Argument(metavar="[DEVICE]", help="Device to deploy to; default: sim.")
    ] = "",
    *,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Verify the release on the device, and repair it."),
    ] = False,
    force: Force = False,
    target: DeviceTarget = "",
    soc: Soc = "",
    jobs: Jobs = 0,
    keep_going: KeepGoing = False,
    verbose: Verbose = False,
    build_type: BuildType = "",
    strict_isa: StrictIsa = False,
    launcher: CompilerLauncher = "",
    on: On = None,
    wait: Wait = "",
    share: Share = False,
    json: Json = False,
) -> None:
    """Build what changed, and make the release current on a device.

    Only what the device does not have is sent.  It is verified there before the release becomes
    current as a whole.
    """
    from buildtool import flow
    from buildtool.cli.screen import Screen
    from buildtool.cli.show import show
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.engine.context import Options
    from buildtool.project.read import find_project

    choice = DeviceChoice(
        target=target,
        soc=soc,
        verify=verify,
        force=force,
        build_type=build_type,
        strict_isa=strict_isa,
        wait=wait_seconds(wait),
        share=share,
    )
    options = Options(jobs=jobs, keep_going=keep_going, compiler_launcher=launcher)
    if on is not None:
        from buildtool.cli.on_devices import on_devices

        if device:
            raise not_with_on("DEVICE")
        arguments = ["deploy", *without_on(ctx.meta[ARGUMENTS])]
        raise typer.Exit(
            on_devices(on, arguments, choice=choice, verbose=verbose, as_json=json, options=options)
        )
    done = flow.deploy(
        find_project(Path.cwd()),
        device or BUILT_IN_TARGET,
        choice,
        Screen(quiet=True, verbose=verbose),
        options,
    )
    if json:
        print_json(done.as_json())
        return
    for path in done.repaired:
        show(f"repaired {path}")
    sent = f"{done.files} files, {done.size:,} B, sent" if done.files else "nothing to send"
    show(f"{done.device}: {done.target} {done.deployment} is current ({sent})")
    show(f"in {done.directory}")
