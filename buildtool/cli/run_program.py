"""`buildtool run` without its options: most runs have none, and need no typer."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool import flow
from buildtool.cli.screen import Screen
from buildtool.core.errors import NOT_RUN, UsageError
from buildtool.core.events import Note
from buildtool.deploy.ready import DeviceChoice
from buildtool.deploy.run.on_device import status_of_run
from buildtool.deploy.run.program import RunRequest, farf_levels, variables
from buildtool.deploy.run.run import Streams
from buildtool.project.model import Project, Run
from buildtool.project.read import find_project
from buildtool.project.runs import PORT_FORM, Forward, option_seconds, ports
from buildtool.project.validate import suggest

if TYPE_CHECKING:
    from buildtool.engine.context import Options

ANY = DeviceChoice()
DEFAULT, NO_BUNDLE = "default", "none"
"""Values of `--bundle` that name no file: one that is named after the run, and none."""


def run_program(
    device: str = "sim",
    name: str = "",
    *,
    command: Sequence[str] = (),
    env: Sequence[str] = (),
    cwd: str = "",
    timeout: str = "",
    pull: Sequence[str] = (),
    forward: Sequence[str] = (),
    farf: bool = False,
    dsp_may_crash: bool = False,
    terminal: bool = False,
    bundle: str = "",
    choice: DeviceChoice = ANY,
    verbose: bool = False,
    as_json: bool = False,
    options: Options | None = None,
    watch: bool = False,
) -> int:
    """Build and push what changed, run a program on `device`, and return the exit status.

    With `watch` that is repeated after each change until Ctrl-C.  `name` is a named run of the
    project; `command`, the variables `env` and the other arguments add to it or take the place of
    its own.  Without any it runs the target's only program.
    """
    project = find_project(Path.cwd())
    screen = Screen(quiet=True, verbose=verbose)

    def request_of(project: Project) -> RunRequest:
        named = find_named_run(project, name, device) if name else None
        return RunRequest(
            command=tuple(command) or ((named.program, *named.args) if named else ()),
            env={**variables(named.env if named else {}), **dict(_variable(text) for text in env)},
            cwd=cwd or (named.cwd if named else ""),
            timeout=option_seconds(
                timeout or (named.timeout if named and not choice.debug else "")
            ),
            terminal=terminal,
            farf=farf_levels(farf or bool(named and named.farf)),
            pull=dict(_pulled(text) for text in (*(named.pull if named else ()), *pull)),
            forward=tuple(_ports(text) for text in (*(named.forward if named else ()), *forward)),
            # The end of a debugger is one of the DSP process.
            dsp_may_crash=dsp_may_crash or choice.debug or bool(named and named.dsp_may_crash),
        )

    if watch:
        from buildtool.cli.run_watch import RepeatedRun, check_options, run_watching

        check_options({"--tty": terminal, "--debug": choice.debug, "--json": as_json})
        run_watching(project, RepeatedRun(device, request_of, choice, options), screen)
    request = request_of(project)
    start = partial(
        flow.run,
        project,
        device,
        request,
        choice=choice,
        options=options,
        streams=Streams(stdout=sys.stderr.fileno()) if as_json else None,
    )
    if bundle == NO_BUNDLE or not (bundle or _in_ci()):
        result, written = start(listener=screen), None
    else:
        from buildtool.deploy.bundle.record import RunRecord
        from buildtool.deploy.bundle.write import check_place, run_with_bundle

        record = RunRecord(project, device, request, ["buildtool", *sys.argv[1:]])
        file = None if bundle in ("", DEFAULT) else Path(bundle).absolute()
        if file:
            check_place(file)
        result, written = run_with_bundle(start, record, file, screen)
    if as_json:
        from buildtool.cli.options import print_json

        print_json({**result.as_json(), "bundle": str(written) if written else None})
    if result.dsp_crash and not request.dsp_may_crash:
        screen(Note(f"the DSP process crashed during this run; {_accepted(result.status)}"))
    return status_of_run(result, request)


def _accepted(status: int) -> str:
    """What a crash of the DSP process means for the exit status."""
    if status:
        return f"the exit status is {status}"
    return (
        f"the exit status is {NOT_RUN}, although that of the program is 0."
        " --dsp-may-crash, or dsp-may-crash = true in [run.NAME], accepts that"
    )


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


def _in_ci() -> bool:
    """Whether a CI service runs this: all of them set the variable."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


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
