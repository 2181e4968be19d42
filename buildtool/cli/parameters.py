"""The parameters of commands, as the functions of commands declare them.

    def build(target: TargetName = "", *, plan: Annotated[bool, Option("--plan", "…")] = False)

The function is the only description of a command.  typer gets its description from it
(`typer_app`), and help and completion get theirs from typer, as commands.json.  The declaration
itself needs no typer: most command lines are so simple that they run without it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from buildtool.cli.commands import read_commands
from buildtool.core.value import Value


class Option(Value):
    """An option with the names `names`, separated by spaces.

    `heading` is its heading on the help page; a number is between 0 and `most`.
    """

    names: str
    help: str
    metavar: str = ""
    heading: str = ""
    most: int | None = None


class Argument(Value):
    """An argument: optional if `metavar` has brackets, repeated if it ends with dots."""

    metavar: str
    help: str


class OptionGroup(Value):
    """Options that several commands share.

    A field of a subclass is an option, with its default.  A command has them all with a
    keyword-only parameter of which such a group is the default.
    """


class CommandLine(Value):
    """The words of a command line as they were given: a keyword-only parameter, no option.

    `own` starts with the command; `program` is what follows `--`.
    """

    own: tuple[str, ...] = ()
    program: tuple[str, ...] = ()


def call_command(function: Callable[..., Any], values: dict[str, Any], line: CommandLine) -> int:
    """Call a command with `values`, by the names of parameters and of the fields of option groups.

    Returns the exit status.
    """
    for name, default in (function.__kwdefaults__ or {}).items():
        if isinstance(default, OptionGroup):
            given = {field: values.pop(field) for field in default._asdict() if field in values}
            values[name] = default._replace(**given)
        elif isinstance(default, CommandLine):
            values[name] = line
    return function(**values) or 0


# Importing typer, and describing the command to it, would take half of the instructions of a short
# command.  Only what is plainly right is run without it; it reports the rest.
TYPES = {"str": str, "path": Path}
"""The types of values that typer does not check.  Numbers are left to it."""


def run_without_typer(line: CommandLine) -> int | None:
    """The exit status of the command; None if its words need typer, or are wrong."""
    command, words = read_commands(), list(line.own)
    while "commands" in command:
        if not words or words[0] not in command["commands"]:
            return None
        command = command["commands"][words.pop(0)]
    values = _values(command, words)
    if values is None:
        return None
    module, _, name = command["function"].partition(":")
    return call_command(getattr(importlib.import_module(module), name), values, line)


def _values(command: dict[str, Any], words: list[str]) -> dict[str, Any] | None:
    """The values of the parameters of `command` by name; None as above."""
    options = {
        name: option
        for option in command["options"]
        if "parameter" in option
        for name in option["names"].split()
    }
    arguments = command.get("arguments", [])
    values: dict[str, Any] = {}
    while words:
        word = words.pop(0)
        if word.startswith("-") and not (arguments and _is_argument(word, arguments[0])):
            name, has_value, given = word.partition("=")
            described = options.get(name)
            if described and "type" not in described and not has_value:
                values[described["parameter"]] = True
                continue
            if has_value and not name.startswith("--"):
                return None
            word = given if has_value else words.pop(0) if words else ""
        else:
            described = arguments[0] if arguments else None
            arguments = arguments[not (described and "many" in described) :]
        if not described or described.get("type") not in TYPES or not word:
            return None
        if word[0] == "-" and not _is_argument(word, described):
            return None
        value, parameter = TYPES[described["type"]](word), described["parameter"]
        if "many" in described:
            values.setdefault(parameter, []).append(value)
        elif values.setdefault(parameter, value) is not value:
            return None  # it is given twice
    needed = (argument for argument in arguments if not argument["metavar"].startswith("["))
    return None if any(argument["parameter"] not in values for argument in needed) else values


def _is_argument(word: str, argument: dict[str, Any]) -> bool:
    """Whether a word with a dash is one of any number of texts: "-", or a negative number."""
    texts = "many" in argument and "names" not in argument and argument["type"] == "str"
    return texts and (word == "-" or word[1:].isdecimal())
