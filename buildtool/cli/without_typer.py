"""Runs a command line that has only arguments and flags, without typer.

Most command lines are so.  To import typer and to describe the command to it would take half of the
instructions of a `build` with nothing to do (220 of 445 million, callgrind).
"""

from __future__ import annotations

import importlib

from buildtool.cli.command_table import read_commands
from buildtool.cli.parameters import CommandLine, call_command


def run_without_typer(line: CommandLine) -> int | None:
    """The exit status of the command; None if its words need typer, or are wrong."""
    command, words = read_commands(), list(line.own)
    while "commands" in command:
        if not words or words[0] not in command["commands"]:
            return None
        command = command["commands"][words.pop(0)]
    flags = {
        name: option["flag"]
        for option in command["options"]
        if "flag" in option
        for name in option["names"].split()
    }
    arguments = command.get("arguments", [])
    values: dict[str, str | bool] = {}
    for word in words:
        if word in flags:
            values[flags[word]] = True
        elif word and not word.startswith("-") and arguments and "text" in arguments[0]:
            values[arguments[0]["text"]] = word
            arguments = arguments[1:]
        else:
            return None
    if any(not argument["metavar"].startswith("[") for argument in arguments):
        return None
    module, _, name = command["function"].partition(":")
    return call_command(getattr(importlib.import_module(module), name), values, line)
