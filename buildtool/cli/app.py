"""The typer application and its verbs."""

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

app = typer.Typer(
    help="From source to a verified run on a Hexagon device, in one command.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        show(f"buildtool {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    directory: Annotated[
        str,
        typer.Option("-C", metavar="DIR", help="Change to DIR first; other paths are from there."),
    ] = "",
) -> None:
    del version, directory  # buildtool.cli changes to it before typer is loaded


app.command("init")(init.init)
app.command("clean")(clean.clean)
app.command("doctor")(doctor.doctor)
app.command("build")(build.build)
app.command("why")(why.why)
app.command("run", cls=run.RunCommand)(run.run)
app.command("idl")(idl.idl)
app.command("profile")(profile.profile)
app.command("ide")(ide.ide)
app.command("inspect")(inspect.inspect)
app.command("lock")(lock.lock)
app.command("completion")(completion.completion)
app.add_typer(sysroot.app, name="sysroot")
app.add_typer(cache.app, name="cache")
