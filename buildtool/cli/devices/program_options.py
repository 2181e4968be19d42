"""The options of `run` and `capture` about the program that runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from buildtool.cli.parameters import Option, OptionGroup
from buildtool.core.errors import UsageError
from buildtool.project.model import Run
from buildtool.project.runs import PORT_FORM, Forward, option_seconds, ports
from buildtool.run.program import RunRequest, farf_levels, variables


class ProgramOptions(OptionGroup):
    """How a program runs, in addition to what a named run says."""

    env: Annotated[
        list[str] | None,
        Option("--env -e", "Set a variable for the program; may be repeated.", "NAME=VALUE"),
    ] = None
    cwd: Annotated[
        str, Option("--cwd", "Working directory on the device; default: the release.", "DIR")
    ] = ""
    timeout: Annotated[
        str, Option("--timeout", "End the program after TIME: 90s, 2m, 1h.", "TIME")
    ] = ""
    pull: Annotated[
        list[str] | None,
        Option("--pull", "Fetch FILE at the end (as HERE: FILE:HERE); may be repeated.", "FILE"),
    ] = None
    forward: Annotated[
        list[str] | None,
        Option(
            "--forward",
            "Make a TCP port of the device reachable here (as HERE: HERE:PORT); may be repeated.",
            "PORT",
        ),
    ] = None
    dsp_may_crash: Annotated[
        bool, Option("--dsp-may-crash", "A crash of the DSP process is no failure.")
    ] = False

    def request(
        self,
        named: Run | None,
        command: tuple[str, ...],
        *,
        farf: bool,
        terminal: bool = False,
        debug: bool = False,
    ) -> RunRequest:
        """The request to run `command`, by default that of the run `named`; raises `UsageError`.

        With `farf` the DSP logs everything, with `debug` the program is debugged.
        """
        given = (named.program, *named.args) if named and named.program else ()
        return RunRequest(
            command=command or given,
            env={
                **variables(named.env if named else {}),
                **dict(_variable(text) for text in self.env or ()),
            },
            cwd=self.cwd or (named.cwd if named else ""),
            timeout=option_seconds(self.timeout or (named.timeout if named and not debug else "")),
            terminal=terminal,
            farf=farf_levels(farf or bool(named and named.farf)),
            pull=dict(
                _pulled(text) for text in (*(named.pull if named else ()), *(self.pull or ()))
            ),
            forward=tuple(
                _ports(text) for text in (*(named.forward if named else ()), *(self.forward or ()))
            ),
            # The end of a debugger is one of the DSP process.
            dsp_may_crash=self.dsp_may_crash or debug or bool(named and named.dsp_may_crash),
        )


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(
            f"--env {text}: a variable has the form NAME=VALUE", remedy="For example: --env N=4096"
        )
    return name, value


def _pulled(text: str) -> tuple[str, str]:
    """FILE or FILE:HERE as a path on the device and a path here; raises `UsageError`."""
    there, _, here = text.partition(":")
    here = here or Path(there).name
    if not (there and here):
        raise UsageError(
            f"--pull {text!r}: a file has the form FILE or FILE:HERE",
            remedy="For example: --pull trace.json, --pull /tmp/trace.json:traces/last.json",
        )
    if Path(here).is_dir() or not Path(here).parent.is_dir():
        what = "is a directory" if Path(here).is_dir() else "is in no directory that exists"
        raise UsageError(f"--pull {text}: {here} {what}", remedy="Name a file to write.")
    return there, here


def _ports(text: str) -> Forward:
    try:
        return ports(text)
    except ValueError as error:
        raise UsageError(f"--forward: {error}", remedy=PORT_FORM) from error
