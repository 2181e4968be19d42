"""commands.json, which help and completion read, describes the commands of typer.

BUILDTOOL_UPDATE_GOLDEN=1 updates it.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from typing import Any

import typer.main

from buildtool.cli.commands import COMMANDS, FILE, read_commands
from buildtool.cli.completion.values import DIRECTORIES, FILES, WORDS_OF
from buildtool.cli.typer_app import typer_app

FREE = {
    "bad",
    "command",
    "digest",
    "file",
    "function",
    "good",
    "host",
    "i/n",
    "image",
    "k/n",
    "lib",
    "limit",
    "method",
    "n",
    "name",
    "name=number",
    "name=value",
    "name=values",
    "name[=value",
    "percent",
    "place",
    "port",
    "release",
    "rev",
    "serial",
    "service:device",
    "size",
    "time",
    "url",
    "version",
}
"""Values that may be any text."""
HELP = {"names": "-h --help", "help": "Print this help."}


def metavar(parameter: Any) -> str:
    return parameter.metavar or str(parameter.name).upper()


def kind(parameter: Any) -> str:
    """The kind of completion of a value of `parameter`."""
    name = metavar(parameter).strip("[].").lower()
    if parameter.type.name == "path" or name.endswith("|file"):
        return DIRECTORIES if name in ("dir", "directory") else FILES
    return DIRECTORIES if name == "dir" else name


def option(parameter: Any) -> dict[str, Any]:
    names = " ".join([*parameter.opts, *parameter.secondary_opts])
    value = (
        {}
        if parameter.is_flag
        else {
            "metavar": metavar(parameter),
            "value": kind(parameter),
            "type": parameter.type.name,
        }
    )
    group = parameter.rich_help_panel
    more = _if(
        many=parameter.multiple,
        group=group if isinstance(group, str) else "",
        parameter=parameter.name if not parameter.secondary_opts else "",
    )
    return {"names": names, **value, "help": parameter.help, **more}


def argument(parameter: Any) -> dict[str, Any]:
    return {
        "metavar": metavar(parameter),
        "value": kind(parameter),
        "help": parameter.help,
        **_if(
            many=parameter.nargs == -1,
            parameter=parameter.name,
            type=parameter.type.name,
        ),
    }


def described(command: Any, panel: str = "") -> dict[str, Any]:
    """The table of a command and of its subcommands."""
    first, *more = [
        " ".join(paragraph.split()) for paragraph in inspect.cleandoc(command.help).split("\n\n")
    ]
    group = command.rich_help_panel
    function = inspect.unwrap(command.callback) if command.callback else None
    module = sys.modules[function.__module__] if function else None
    return {
        **_if(group=group if isinstance(group, str) else panel),
        "help": first,
        **_if(
            more=more,
            function=f"{function.__module__}:{function.__name__}"
            if function and not hasattr(command, "commands")
            else "",
        ),
        "options": [*(option(p) for p in command.params if p.param_type_name == "option"), HELP],
        **_if(
            arguments=[argument(p) for p in command.params if p.param_type_name == "argument"],
            examples=[[*row] for row in getattr(module, "EXAMPLES", ())],
            program=command.name in COMMANDS and COMMANDS[command.name].program,
            commands={n: described(c) for n, c in getattr(command, "commands", {}).items()},
        ),
    }


def _if(**values: Any) -> dict[str, Any]:
    """Those of `values` that are not empty."""
    return {name: value for name, value in values.items() if value}


def kinds(level: dict[str, Any]) -> set[str]:
    found = {option.get("value", "") for option in level["options"]}
    found.update(argument["value"] for argument in level.get("arguments", ()))
    return found.union(*(kinds(inner) for inner in level.get("commands", {}).values()))


def test_the_table_describes_the_command_line() -> None:
    table = described(typer.main.get_command(typer_app()))
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1":
        FILE.write_text(text)

    assert FILE.read_text() == text, "BUILDTOOL_UPDATE_GOLDEN=1 writes it again"


def test_every_value_is_completed_or_free() -> None:
    assert kinds(read_commands()) <= {"", FILES, DIRECTORIES, *WORDS_OF, *FREE}


def test_every_command_is_in_a_group() -> None:
    assert all(command.get("group") for command in read_commands()["commands"].values())
