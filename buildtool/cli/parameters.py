"""The parameters of commands, as the functions of commands declare them.

    def build(target: TargetName = "", *, plan: Annotated[bool, Option("--plan", "…")] = False)

The function is the only description of a command.  typer gets its description from it
(`typer_app`), and help and completion get theirs from typer, as commands.json.  The declaration
itself needs no typer: most command lines are so simple that they run without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
