"""The typer application with its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from buildtool import __version__
from buildtool.cli import (
    build,
    cache,
    clean,
    completion,
    doctor,
    ide,
    idl,
    init,
    inspect,
    lock,
    profile,
    run,
    sysroot,
    why,
)
from buildtool.cli.show import show
from buildtool.cli.typer_classes import Command, Group

app = typer.Typer(
    cls=Group,
    help="Build a program's ARM64 and Hexagon sides, and run it on a device.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        show(f"buildtool {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
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


# Under these headings `buildtool --help` lists the commands, in this order.
START, BUILD, DEVICES, INSPECT, MAINTAIN = "Start", "Build", "Devices", "Inspect", "Maintain"

app.command("init", cls=Command, rich_help_panel=START)(init.init)
app.command("doctor", cls=Command, rich_help_panel=START)(doctor.doctor)
app.command("ide", cls=Command, rich_help_panel=START)(ide.ide)
app.command("build", cls=Command, rich_help_panel=BUILD)(build.build)
app.command("why", cls=Command, rich_help_panel=BUILD)(why.why)
app.command("clean", cls=Command, rich_help_panel=BUILD)(clean.clean)
app.command("run", cls=run.RunCommand, rich_help_panel=DEVICES)(run.run)
app.add_typer(sysroot.app, name="sysroot", rich_help_panel=DEVICES)
app.command("inspect", cls=Command, rich_help_panel=INSPECT)(inspect.inspect)
app.command("idl", cls=Command, rich_help_panel=INSPECT)(idl.idl)
app.command("profile", cls=Command, rich_help_panel=INSPECT)(profile.profile)
app.add_typer(cache.app, name="cache", rich_help_panel=MAINTAIN)
app.command("lock", cls=Command, rich_help_panel=MAINTAIN)(lock.lock)
app.command("completion", cls=Command, rich_help_panel=MAINTAIN)(completion.completion)
