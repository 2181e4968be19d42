"""What `run`, `capture` and replayed runs share: options about the program, its run and its end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.parameters import Option, OptionGroup
from buildtool.cli.screen import Screen
from buildtool.core.errors import NOT_RUN, UsageError
from buildtool.core.events import Listener, Note
from buildtool.deploy.ready import DeviceChoice
from buildtool.engine.options import Options
from buildtool.flow.devices import run_program
from buildtool.project.model import Project, Run
from buildtool.project.runs import PORT_FORM, Forward, option_seconds, ports
from buildtool.project.tables import suggest
from buildtool.run.on_device import RunResult, lacks_dsp_use, status_of_run
from buildtool.run.program import RunRequest, farf_levels, variables
from buildtool.run.run import Streams

if TYPE_CHECKING:
    from buildtool.run.bundle.record import RunRecord
    from buildtool.run.bundle.replay import Replay


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


def run_for_command(
    project: Project,
    device: str,
    request: RunRequest,
    choice: DeviceChoice,
    listener: Listener,
    *,
    options: Options,
    json: bool,
    record: RunRecord | None = None,
    replay: Replay | None = None,
) -> RunResult:
    """Run the program as `run_program` does; with `json` it writes to standard error, and
    methods have their names."""
    result = run_program(
        project,
        device,
        request,
        choice=choice,
        listener=listener,
        options=options,
        streams=Streams(stdout=sys.stderr.fileno()) if json else None,
        record=record,
        replay=replay,
    )
    if json:
        from buildtool.diagnose.method_names import SkelMethods
        from buildtool.run.method_counts import with_names

        result = result._replace(methods=with_names(SkelMethods(project), result.methods))
    return result


WRONG_NUMBERS = (
    "are numbers of the DSP wrong? With --strict sim stops a kernel that reads or writes beside its"
    " buffers, with --sanitize at undefined behaviour"
)


def may_be_wrong_numbers(result: RunResult, choice: DeviceChoice) -> bool:
    """Whether a program that used the emulated DSP failed, and nothing says why."""
    known = result.finding or result.dsp_crash or choice.strict or choice.sanitize
    return bool(result.methods and 0 < result.status < 128 and not known)


def show_end(result: RunResult, request: RunRequest, screen: Screen) -> int:
    """Show what is to be said of a program that has ended; returns the exit status."""
    for text in result.dsp_calls.lines() if result.dsp_calls else ():
        screen(Note(text))
    if lacks_dsp_use(result):
        screen(Note(f"the program did not use the DSP as expected; {_status(result.status)}"))
    if result.dsp_crash and not request.dsp_may_crash:
        screen(Note(f"the DSP process crashed during this run; {_accepted(result.status)}"))
    if result.finding:
        screen(Note(result.finding.text()))
    return status_of_run(result, request)


def _status(status: int) -> str:
    """The effect on the exit status of something else than the program's, in words."""
    if status:
        return f"the exit status is {status}"
    return f"the exit status is {NOT_RUN}, although that of the program is 0"


def _accepted(status: int) -> str:
    """The effect of a crash of the DSP process on the exit status, and how to accept one."""
    hint = ". --dsp-may-crash, or dsp-may-crash = true in [run.NAME], accepts that"
    return _status(status) + ("" if status else hint)


def find_named_run(project: Project, name: str, device: str = "DEVICE") -> Run:
    """The run `name` of the project; raises `UsageError` with a suggestion."""
    if found := project.runs.get(name):
        return found
    program = name if "/" in name else f"bin/{name}"
    known = f"{suggest(name, project.runs)} " if project.runs else ""
    raise UsageError(
        f"there is no run {name!r} in the project",
        why="a program is named after --, a named run of buildtool.toml before it",
        remedy=f"{known}For a program, write: buildtool run {device} -- {program}",
    )
