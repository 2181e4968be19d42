"""The typer application with its commands."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Annotated

import typer

from buildtool import __version__
from buildtool.cli.show import show
from buildtool.cli.typer_classes import Command, Group

COMMANDS = {
    "init": "Start",
    "doctor": "Start",
    "sdk": "Start",
    "ide": "Start",
    "build": "Build",
    "why": "Build",
    "clean": "Build",
    "package": "Release",
    "verify": "Release",
    "run": "Devices",
    "test": "Devices",
    "deploy": "Devices",
    "rollback": "Devices",
    "devices": "Devices",
    "sysroot": "Devices",
    "inspect": "Inspect",
    "idl": "Inspect",
    "profile": "Inspect",
    "cache": "Maintain",
    "lock": "Maintain",
    "completion": "Maintain",
}
"""Each command with its heading in `buildtool --help`, in the order of that page."""


def typer_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The application with the commands `names`.

    A command NAME is the function NAME of the module `buildtool.cli.NAME`, and a group of commands
    the `app` there.  To import and describe all of them for one takes 85 million instructions
    (callgrind), a fifth of what a short command takes.
    """
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
        module = importlib.import_module(f"buildtool.cli.{name}")
        heading = COMMANDS[name]
        if group := getattr(module, "app", None):
            app.add_typer(group, name=name, rich_help_panel=heading)
        else:
            cls = getattr(module, "COMMAND_CLASS", Command)
            app.command(name, cls=cls, rich_help_panel=heading)(getattr(module, name))
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
