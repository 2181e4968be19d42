"""Runs command lines that are plainly right without typer; all others are left to it.

To import typer and to describe the command to it would take half of the instructions of a `build`
with nothing to do (220 of 445 million, callgrind).
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from buildtool.cli.commands import read_commands
from buildtool.cli.parameters import CommandLine, call_command

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
