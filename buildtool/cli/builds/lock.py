"""`buildtool lock [TARGET...]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show

if TYPE_CHECKING:
    from buildtool.documents.toolchains import LockDocument


def lock(
    targets: Annotated[
        list[str] | None,
        Argument("[TARGET...]", "Targets of buildtool.toml; default: all targets."),
    ] = None,
    *,
    upgrade: Annotated[
        bool,
        Option("--upgrade", "Choose all versions again, not only missing ones."),
    ] = False,
    json: Json = False,
) -> None:
    """Update conan.lock and debian.lock, each one file for all targets."""
    from buildtool.cli.screen import Screen
    from buildtool.debian.packages import update_lock
    from buildtool.drivers.conan.lockfiles import update_lockfiles
    from buildtool.project.read import find_project

    project = find_project(Path.cwd())
    screen = Screen()
    files = update_lockfiles(project, targets or [], upgrade=upgrade, listener=screen)
    files |= update_lock(project, screen, upgrade=upgrade)
    if json:
        document: LockDocument = {
            "lockfiles": [{"path": str(f), "changed": c} for f, c in files.items()]
        }
        print_json(document)
        return
    for file, changed in files.items():
        show(f"{file.relative_to(project.root)}: {'changed' if changed else 'up to date'}")
    if not files:
        show("nothing to lock: no [host.NAME] has a 'conan' or 'debian'")
