"""The list of commands.

`commands.json` has every command with its options, arguments and help.

Help, completion and command lines without typer read it.  A test keeps it the same as what typer
has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from buildtool.core.errors import NOT_RUN
from buildtool.core.value import Value


class CommandEntry(Value):
    """A command NAME: the function NAME of the module `buildtool.cli.PACKAGE.NAME`.

    A module with `COMMANDS`, a tuple of functions, is a group of commands instead, with the help
    `HELP`; `default` is the command of the group that is meant when none is named.  With
    `program`, the words after `--` are a program and its arguments.  `failed` and `misused` replace
    the exit statuses of errors and of wrong command lines.
    """

    package: str
    heading: str
    program: bool = False
    failed: int = 0
    misused: int = 0
    default: str = ""

    def module(self, name: str) -> str:
        return f"buildtool.cli.{self.package}.{name}"


COMMANDS = {
    "init": CommandEntry("start", "Start"),
    "doctor": CommandEntry("start", "Start"),
    "sdk": CommandEntry("start", "Start"),
    "ide": CommandEntry("start", "Start"),
    "build": CommandEntry("builds", "Build"),
    "why": CommandEntry("builds", "Build"),
    "clean": CommandEntry("builds", "Build"),
    "package": CommandEntry("builds", "Release"),
    "verify": CommandEntry("builds", "Release"),
    "run": CommandEntry("devices", "Devices", program=True, failed=NOT_RUN, misused=NOT_RUN),
    "capture": CommandEntry("devices", "Devices", program=True, failed=NOT_RUN, misused=NOT_RUN),
    "test": CommandEntry("devices", "Devices", failed=NOT_RUN),
    "bench": CommandEntry("devices", "Devices", failed=NOT_RUN),
    "bisect": CommandEntry("devices", "Devices", failed=NOT_RUN),
    "diverge": CommandEntry("devices", "Devices", failed=NOT_RUN),
    "probe": CommandEntry("devices", "Devices", failed=NOT_RUN),
    "deploy": CommandEntry("devices", "Devices"),
    "rollback": CommandEntry("devices", "Devices"),
    "devices": CommandEntry("devices", "Devices", default="status"),
    "sysroot": CommandEntry("devices", "Devices"),
    "report": CommandEntry("inspection", "Inspect"),
    "explain": CommandEntry("inspection", "Inspect"),
    "lint": CommandEntry("inspection", "Inspect"),
    "inspect": CommandEntry("inspection", "Inspect"),
    "idl": CommandEntry("inspection", "Inspect"),
    "profile": CommandEntry("inspection", "Inspect"),
    "cache": CommandEntry("builds", "Maintain"),
    "lock": CommandEntry("builds", "Maintain"),
    "completion": CommandEntry("completion", "Maintain"),
}
"""Each command by its name, in the order of `buildtool --help`."""
UNKNOWN = CommandEntry("", "")


FILE = Path(__file__).with_name("commands.json")


def read_commands() -> dict[str, Any]:
    """The description of the program: its options, and those of its commands, below each other."""
    table: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return table


def find_command(names: Iterable[str]) -> dict[str, Any] | None:
    """The description of a command such as ("cache", "gc"), () for the program; None if there is
    no such command."""
    level: dict[str, Any] | None = read_commands()
    for name in names:
        level = level and level.get("commands", {}).get(name)
    return level
