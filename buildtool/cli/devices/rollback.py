"""`buildtool rollback [DEVICE]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json, Share, Soc, Wait, wait_seconds
from buildtool.cli.parameters import Argument
from buildtool.cli.show import print_json, show

if TYPE_CHECKING:
    from buildtool.documents.runs import RollbackDocument


def rollback(
    device: Annotated[str, Argument("[DEVICE]", "Device to roll back; default: sim.")] = "sim",
    *,
    soc: Soc = "",
    wait: Wait = "",
    share: Share = False,
    json: Json = False,
) -> None:
    """Make the release current that was deployed to a device before.

    Each further rollback goes back one more release.  The next deploy or run makes the release of
    the project current again.
    """
    from buildtool.cli.screen import Screen
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.flow.devices import rollback as roll_back
    from buildtool.project.read import find_project

    project = find_project(Path.cwd())
    choice = DeviceChoice(soc=soc, wait=wait_seconds(wait), share=share)
    former, current = roll_back(project, device, choice, Screen())
    if json:
        document: RollbackDocument = {"device": device, "former": former, "current": current}
        print_json(document)
    else:
        show(f"{device}: {current} is current again, instead of {former}")
