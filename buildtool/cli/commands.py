"""The list of commands."""

from __future__ import annotations

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
