"""The typer application, made of the functions of the commands."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from buildtool import __version__
from buildtool.cli.commands import COMMANDS
from buildtool.cli.help import help_page, usage
from buildtool.cli.parameters import Argument, CommandLine, Option, OptionGroup, call_command
from buildtool.cli.show import show, write
from buildtool.core.errors import UsageError

USAGE_STATUS = 2


def typer_app(names: Iterable[str] = COMMANDS, line: CommandLine | None = None) -> typer.Typer:
    """The application with the commands `names`, for the command line `line`.

    To import and describe all of them for one takes 85 million instructions (callgrind), a fifth of
    what a short command takes.
    """
    line = line or CommandLine()
    app = typer.Typer(
        cls=Group,
        help="Build a program's ARM64 and Hexagon sides, and run it on a device.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_options,
    )
    for name in names:
        entry = COMMANDS[name]
        module = importlib.import_module(entry.module(name))
        if functions := getattr(module, "COMMANDS", ()):
            group = typer.Typer(cls=Group, help=module.HELP)
            for function in functions:
                group.command(function.__name__.strip("_"), cls=Command)(_typed(function, line))
            app.add_typer(group, name=name, rich_help_panel=entry.heading)
        else:
            function = _typed(getattr(module, name), line)
            app.command(name, cls=Command, rich_help_panel=entry.heading)(function)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        show(f"buildtool {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    directory: Annotated[
        str,
        typer.Option(
            "-C", metavar="DIR", help="Change to DIR first; other paths are relative to it."
        ),
    ] = "",
) -> None:
    del version, directory  # buildtool.cli.main changes the directory before it imports typer


def _typed(function: Callable[..., Any], line: CommandLine) -> Callable[..., int]:
    """`function` with the signature that typer reads: without groups, with typer's classes."""

    @wraps(function)
    def command(**values: Any) -> int:
        return call_command(function, values, line)

    command.__signature__ = inspect.Signature(list(_parameters(function)))  # type: ignore[attr-defined]
    return command


def _parameters(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        default = parameter.default
        if isinstance(default, OptionGroup):
            fields = get_type_hints(type(default), include_extras=True)
            for name, hint in fields.items():
                yield inspect.Parameter(
                    name,
                    parameter.KEYWORD_ONLY,
                    default=getattr(default, name),
                    annotation=_annotation(hint),
                )
        elif not isinstance(default, CommandLine):
            yield parameter.replace(
                kind=parameter.KEYWORD_ONLY, annotation=_annotation(hints[parameter.name])
            )


def _annotation(hint: Any) -> Any:
    kind, described = get_args(hint)
    info: Any
    if isinstance(described, Argument):
        info = typer.Argument(metavar=described.metavar, help=described.help, readable=False)
    else:
        assert isinstance(described, Option)
        info = typer.Option(
            *described.names.split(),
            metavar=described.metavar or None,
            help=described.help,
            rich_help_panel=described.heading or None,
            readable=False,  # reading says what is wrong
            min=None if described.most is None else 0,
            max=described.most,
        )
    return Annotated[kind, info]


class Command(TyperCommand):
    """A command without commands of its own, with help and usage from `buildtool.cli.help`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_page(_names(ctx)))

    def get_usage(self, ctx: Any) -> str:
        return f"Usage: {usage(_names(ctx))}"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for word in args[: args.index("--")] if "--" in args else args:
            # It would mean what the command does without the option.
            if word.startswith("--") and word.find("=") == len(word) - 1:
                raise UsageError(f"{word} has no value", remedy="Add the value, or leave it out.")
        return super().parse_args(ctx, args)


_OPTIONS_OF_RUN = ("trace", "debug", "strict", "sanitize")


class Group(TyperGroup):
    """A command with commands.  Without arguments it prints its help, as an error."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(help_page(_names(ctx)))

    def get_usage(self, ctx: Any) -> str:
        return f"Usage: {usage(_names(ctx))}"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            write(help_page(_names(ctx)))
            raise typer.Exit(USAGE_STATUS)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if not ctx.parent and args[0] in _OPTIONS_OF_RUN:
            raise UsageError(
                f"There is no command {args[0]!r}",
                remedy=f"It is an option: buildtool run --{args[0]}",
            )
        return super().resolve_command(ctx, args)


def _names(ctx: Any) -> list[str]:
    """The words of the command, after the program's name."""
    names: list[str] = []
    while ctx.parent:
        names.insert(0, ctx.info_name)
        ctx = ctx.parent
    return names
