"""`buildtool deploy [DEVICE]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from buildtool.cli.options import BuildOptions, DeviceOptions, Json, not_with_on, without_on
from buildtool.cli.parameters import Argument, CommandLine, Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show
from buildtool.flow.devices import deploy as build_and_deploy
from buildtool.project.model import BUILT_IN_TARGET
from buildtool.project.read import find_project


def deploy(
    device: Annotated[str, Argument("[DEVICE]", "Device to deploy to; default: sim.")] = "",
    *,
    verify: Annotated[
        bool, Option("--verify", "Verify the release on the device, and repair it.")
    ] = False,
    devices: DeviceOptions = DeviceOptions(),
    build: BuildOptions = BuildOptions(),
    json: Json = False,
    line: CommandLine = CommandLine(),
) -> int:
    """Build what changed, and make the release current on a device.

    Only what the device does not have is sent.  It is verified there before the release becomes
    current as a whole.
    """
    choice = devices.choice(build, verify=verify)
    if devices.on is not None:
        from buildtool.cli.devices.on_devices import on_devices

        if device:
            raise not_with_on("DEVICE")
        return on_devices(devices.on, without_on(line.own), choice, build, as_json=json)
    done = build_and_deploy(
        find_project(Path.cwd()),
        device or BUILT_IN_TARGET,
        choice,
        Screen(quiet=True, verbose=build.verbose),
        build.for_engine(),
    )
    if json:
        print_json(done.as_json())
        return 0
    for path in done.repaired:
        show(f"repaired {path}")
    sent = f"{done.files} files, {done.size:,} B, sent" if done.files else "nothing to send"
    show(f"{done.device}: {done.target} {done.deployment} is current ({sent})")
    show(f"in {done.directory}")
    return 0
