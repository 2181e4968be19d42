"""Typer's classes, with help and usage drawn by `buildtool.cli.help`."""

from __future__ import annotations

from typing import Any, ClassVar

from typer import Exit
from typer.core import TyperCommand, TyperGroup

from buildtool.cli.help import help_page, usage
from buildtool.cli.show import write
from buildtool.core.errors import UsageError

USAGE_STATUS = 2
ARGUMENTS = "buildtool.arguments"
"""Key in a context's `meta` of the command's own arguments, as they were given."""
STRICT = ("--strict=back", "--strict=front")
"""Whether memory ends or begins at an unmapped page."""


class Command(TyperCommand):
    """A command without commands of its own."""

    without_value: ClassVar = {"--wait": "--wait=forever"}
    """What options without their value stand for."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_page(_names(ctx)))

    def get_usage(self, ctx: Any) -> str:
        return f"Usage: {usage(_names(ctx))}"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = tuple(args)
        cut = args.index("--") if "--" in args else len(args)
        own = [self.without_value.get(word, word) for word in args[:cut]]
        for word in own:
            # It would mean what the command does without the option.
            if word.startswith("--") and word.find("=") == len(word) - 1:
                raise UsageError(f"{word} has no value", remedy="Add the value, or leave it out.")
            if word.startswith("--strict=") and word not in STRICT:
                raise UsageError(
                    f"{word} is unknown",
                    why="--strict detects reading and writing past the end of memory,"
                    " --strict=front before its start",
                    remedy="Use --strict or --strict=front.",
                )
        return super().parse_args(ctx, own + args[cut:])


class StrictCommand(Command):
    """A command whose option --strict needs no value."""

    without_value = Command.without_value | {"--strict": STRICT[0]}


class Group(TyperGroup):
    """A command with commands.  Without arguments it prints its help, as an error."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_page(_names(ctx)))

    def get_usage(self, ctx: Any) -> str:
        return f"Usage: {usage(_names(ctx))}"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            write(help_page(_names(ctx)))
            raise Exit(USAGE_STATUS)
        return super().parse_args(ctx, args)


def _names(ctx: Any) -> list[str]:
    """The words of the command, after the program's name."""
    names: list[str] = []
    while ctx.parent:
        names.insert(0, ctx.info_name)
        ctx = ctx.parent
    return names
