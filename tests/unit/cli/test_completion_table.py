"""The table that completion reads is that of the command line.

BUILDTOOL_UPDATE_GOLDEN=1 writes it anew.
"""

from __future__ import annotations

import json
import os
from typing import Any

import typer.main

from buildtool.cli.app import app
from buildtool.cli.complete import DIRECTORIES, FILES, TABLE
from buildtool.cli.complete_values import WORDS_OF

FREE = {"define", "jobs", "limit", "name", "name[=value"}
"""What takes any text."""


def kind(parameter: Any) -> str:
    """What completes a value of `parameter`."""
    metavar = (parameter.metavar or "").strip("[].").lower()
    if parameter.type.name == "path" or metavar == "dir":
        return DIRECTORIES if "dir" in (metavar, parameter.name[:3]) else FILES
    return metavar or str(parameter.name).removesuffix("s" if parameter.nargs == -1 else "\0")


def option(parameter: Any) -> dict[str, Any]:
    names = " ".join([*parameter.opts, *parameter.secondary_opts])
    value = {} if parameter.is_flag else {"value": kind(parameter)}
    return {"names": names, **value, "help": parameter.help, **_if(many=parameter.multiple)}


def described(command: Any) -> dict[str, Any]:
    """The table of one command, or of one that has commands."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [option(p) for p in command.params if p.param_type_name == "option"]
    return {
        "help": command.help.strip().splitlines()[0],
        "options": [*options, {"names": "-h --help", "help": "Show this message and exit."}],
        **_if(
            commands={n: described(c) for n, c in getattr(command, "commands", {}).items()},
            arguments=[kind(argument) for argument in arguments],
            many=any(argument.nargs == -1 for argument in arguments),
            program=type(command).__name__ == "RunCommand",
        ),
    }


def _if(**values: Any) -> dict[str, Any]:
    """What of `values` says something."""
    return {name: value for name, value in values.items() if value}


def kinds(level: dict[str, Any]) -> set[str]:
    found = {option.get("value", "") for option in level["options"]}
    found.update(level.get("arguments", ()))
    return found.union(*(kinds(inner) for inner in level.get("commands", {}).values()))


def test_the_table_is_that_of_the_command_line() -> None:
    table = described(typer.main.get_command(app))
    text = json.dumps(table, indent=1) + "\n"
    if os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1":
        TABLE.write_text(text)

    assert TABLE.read_text() == text, "BUILDTOOL_UPDATE_GOLDEN=1 writes it anew"


def test_every_value_is_completed_or_free() -> None:
    assert kinds(json.loads(TABLE.read_text())) <= {"", FILES, DIRECTORIES, *WORDS_OF, *FREE}
