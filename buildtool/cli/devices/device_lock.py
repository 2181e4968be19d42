"""`buildtool devices lock` and `unlock`: hold the lock of a device, or remove it."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json, Wait, wait_seconds
from buildtool.cli.parameters import Argument
from buildtool.cli.show import print_json, show
from buildtool.core.errors import UsageError
from buildtool.project.model import BUILT_IN_TARGET

if TYPE_CHECKING:
    from buildtool.documents.devices import UnlockDocument

NOT_EXECUTABLE, NOT_FOUND = 126, 127
"""Exit statuses of shells for commands that cannot be started."""

DeviceName = Annotated[str, Argument("DEVICE", "A name that `devices list` prints.")]


def lock(
    name: DeviceName,
    command: Annotated[
        list[str],
        Argument("COMMAND...", "What runs here; write -- before it."),
    ],
    *,
    wait: Wait = "",
) -> int:
    """Hold the lock of a device while a command runs on this machine.

    buildtool in COMMAND may use the device. The exit status is that of COMMAND: 127 if it is not
    found, and 126 if it cannot be started.
    """
    from buildtool.cli.screen import Screen
    from buildtool.device.configuration import open_device
    from buildtool.device.sharing import held_device
    from buildtool.project.read import find_optional_project

    seconds, screen = wait_seconds(wait), Screen()
    _check_shared(name)
    project = find_optional_project(Path.cwd())
    device = open_device(name, project, wait=seconds, listener=screen)
    device.transport.connect()
    purpose = Path(command[0]).name
    with held_device(device, purpose, screen, wait=seconds) as variables:
        return _foreground(command, variables)


def unlock(name: DeviceName, *, json: Json = False) -> None:
    """Remove the lock of a device, whoever holds it.

    A program that its holder runs keeps running.
    """
    from buildtool.device.configuration import open_device
    from buildtool.device.sharing import holder_of
    from buildtool.project.read import find_optional_project

    _check_shared(name)
    device = open_device(name, find_optional_project(Path.cwd()))
    device.transport.connect()
    holder = holder_of(device, remove=True)
    if json:
        document: UnlockDocument = {
            "device": name,
            "holder": holder.as_json() if holder else None,
        }
        print_json(document)
    elif holder:
        show(f"{name} is free now; it was in use by {holder}")
    else:
        show(f"{name} was not in use")


def _check_shared(name: str) -> None:
    if name == BUILT_IN_TARGET:
        raise UsageError(
            f"{name} has no lock",
            why="each project has an emulated device of its own",
            remedy="Name a device of devices.toml: buildtool devices list",
        )


def _foreground(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run `command` on the terminal, which sends it Ctrl-C too; returns its exit status.

    Raises `ToolError` with the exit status of shells if it cannot be started.
    """
    from buildtool.core.processes.process import ToolError, running

    environment = {**os.environ, **variables}
    started = running(
        command, env=environment, stdin=None, stdout=None, stderr=None, own_session=False
    )
    try:
        with started as process:
            before = signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                status = process.wait()
            finally:
                signal.signal(signal.SIGINT, before)
    except ToolError as error:
        missing = isinstance(error.__cause__, FileNotFoundError)
        error.exit_status = NOT_FOUND if missing else NOT_EXECUTABLE
        raise
    return status if status >= 0 else 128 - status
