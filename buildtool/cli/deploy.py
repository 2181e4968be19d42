"""`buildtool deploy [DEVICE]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli.options import (
    BuildType,
    DeviceTarget,
    Force,
    Jobs,
    Json,
    KeepGoing,
    Launcher,
    Soc,
    StrictIsa,
    Verbose,
    print_json,
)


def deploy(
    device: Annotated[
        str, typer.Argument(metavar="[DEVICE]", help="Device to deploy to; default: sim.")
    ] = "sim",
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
    launcher: Launcher = "",
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

    project = find_project(Path.cwd())
    done = flow.deploy(
        project,
        device,
        DeviceChoice(target, soc, verify, force, build_type, strict_isa),
        Screen(quiet=True, verbose=verbose),
        Options(jobs=jobs, keep_going=keep_going, launcher=launcher),
    )
    if json:
        print_json(done.as_json())
        return
    for path in done.repaired:
        show(f"repaired {path}")
    sent = f"{done.files} files, {done.size:,} B, sent" if done.files else "nothing to send"
    show(f"{done.device}: {done.target} {done.deployment} is current ({sent})")
    show(f"in {done.directory}")
