"""`buildtool devices status`: a table of all devices, which is live on a terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.cli.options import Json
from buildtool.cli.show import print_json, show

if TYPE_CHECKING:
    from buildtool.cli.devices.live.device_watch import DeviceWatch
    from buildtool.documents.devices import DevicesStatusDocument

LOOK_SECONDS = 0.25
"""How often the screen is brought up to date, and adapted to the size of the terminal."""
QUIT = "q\x04"  # also Ctrl-D


def status(*, json: Json = False) -> None:
    """Print what all devices are doing, who uses them, and what was deployed and tested there.

    On a terminal the table stays up to date until q is pressed. 'buildtool devices' is short for
    this command.
    """
    from buildtool.cli.devices.live.device_watch import DeviceWatch, table_text
    from buildtool.device.configuration import configured_devices
    from buildtool.project.read import find_optional_project

    project = find_optional_project(Path.cwd())
    name = project.name if project else ""
    watch = DeviceWatch(configured_devices(project), project)
    if json:
        document: DevicesStatusDocument = {"devices": [row.as_json() for row in watch.ask_once()]}
        print_json(document)
    elif sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        _live(watch, name)
    else:
        show(table_text(watch.ask_once(), name))


def _live(watch: DeviceWatch, project: str) -> None:
    """Show the table until q or Ctrl-C is pressed, or the process is to end."""
    from buildtool.cli.devices.live.device_watch import EVERY_SECONDS, shortened, table_text
    from buildtool.cli.full_screen import full_screen
    from buildtool.core.processes.interrupts import held_interrupts

    # Held, so that nothing interrupts the restoring of the terminal.
    with held_interrupts() as interrupts, full_screen() as screen, interrupts.allowed():
        watch.start()
        with contextlib.suppress(EOFError):
            keys = ""
            while not set(keys) & set(QUIT):
                width = screen.size.columns
                hint = shortened(f"asked every {EVERY_SECONDS:g} s; q quits", width)
                screen.show(f"{table_text(watch.rows(), project, width)}\n\n{hint}")
                keys = screen.key(LOOK_SECONDS)
        watch.stop()
