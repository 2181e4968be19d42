"""`buildtool run [DEVICE] [RUN] [-- PROGRAM [ARGUMENT...]]`."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool import flow
from buildtool.cli.options import (
    DEVICE,
    BuildOptions,
    CheckOptions,
    DeviceOptions,
    ExpectDsp,
    Json,
    TraceOptions,
    not_with_on,
    without_on,
)
from buildtool.cli.parameters import Argument, CommandLine, Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json
from buildtool.core.errors import NOT_RUN, UsageError
from buildtool.core.events import Listener, Note
from buildtool.project.model import BUILT_IN_TARGET, Project, Run
from buildtool.project.read import find_project
from buildtool.project.runs import PORT_FORM, Forward, option_seconds, ports
from buildtool.project.validate import suggest
from buildtool.run.on_device import calls_nothing, status_of_run
from buildtool.run.program import RunRequest, farf_levels, variables
from buildtool.run.run import Streams

if TYPE_CHECKING:
    from buildtool.documents.runs import RunDocument
    from buildtool.run.bundle.record import RunRecord

EXAMPLES = (
    ("buildtool run", "The only program of the target, on sim."),
    ("buildtool run q6a -- bin/demo -n 3", "A program of the release with arguments."),
    ("buildtool run q6a probe --timeout 2m", "[run.probe] of buildtool.toml."),
    ("buildtool run sim --soc SM8550", "On the emulated device, as another chip."),
    ("buildtool run phone --farf --pull log", "With the DSP's messages; fetch a file."),
)


def run(
    device: Annotated[str, Argument("[DEVICE]", "Device to run on; default: sim.")] = "sim",
    name: Annotated[str, Argument("[RUN]", "Named run: [run.RUN] in buildtool.toml.")] = "",
    *,
    env: Annotated[
        list[str] | None,
        Option("--env -e", "Set a variable for the program; may be repeated.", "NAME=VALUE"),
    ] = None,
    cwd: Annotated[
        str, Option("--cwd", "Working directory on the device; default: the release.", "DIR")
    ] = "",
    timeout: Annotated[
        str, Option("--timeout", "End the program after TIME: 90s, 2m, 1h.", "TIME")
    ] = "",
    pull: Annotated[
        list[str] | None,
        Option("--pull", "Fetch FILE at the end (as HERE: FILE:HERE); may be repeated.", "FILE"),
    ] = None,
    forward: Annotated[
        list[str] | None,
        Option(
            "--forward",
            "Make a TCP port of the device reachable here (as HERE: HERE:PORT); may be repeated.",
            "PORT",
        ),
    ] = None,
    farf: Annotated[bool, Option("--farf", "Show and keep what the DSP logs.")] = False,
    dsp_may_crash: Annotated[
        bool, Option("--dsp-may-crash", "A crash of the DSP process is no failure.")
    ] = False,
    tty: Annotated[bool, Option("--tty -t", "Give the program a terminal.")] = False,
    watch: Annotated[
        bool, Option("--watch -w", "Run again whenever a source changes, until Ctrl-C.")
    ] = False,
    bundle: Annotated[
        bool | None,
        Option(
            "--bundle/--no-bundle",
            "On failure, write an archive with output, logs and facts; default: in CI only.",
        ),
    ] = None,
    bundle_file: Annotated[
        Path | None, Option("--bundle-file", "Write it as FILE; implies --bundle.", "FILE")
    ] = None,
    verify: Annotated[
        bool, Option("--verify", "First verify the release on the device.", heading=DEVICE)
    ] = False,
    checks: CheckOptions = CheckOptions(),
    debug: Annotated[
        bool, Option("--debug", "Debug the DSP process of sim with LLDB.", heading=DEVICE)
    ] = False,
    expect_dsp: ExpectDsp = False,
    trace: TraceOptions = TraceOptions(),
    devices: DeviceOptions = DeviceOptions(),
    build: BuildOptions = BuildOptions(),
    json: Json = False,
    line: CommandLine = CommandLine(),
) -> int:
    """Build and push what changed, and run a program on a device.

    The exit status is the program's: 128+n after signal n. It is 125 if the program could not be
    run, and if it ended with 0 although the DSP process crashed.
    With --json the program's output goes to standard error. With --on it is 1 if the status on a
    device is not 0, and [RUN] comes first.

    PROGRAM is a path in the release, such as bin/demo; default: the target's only program.
    """
    choice = devices.choice(
        build,
        verify=verify,
        debug=debug,
        expect_dsp=expect_dsp,
        trace=trace.wanted,
        **checks.for_choice(),
    )
    if devices.on is not None:
        from buildtool.cli.devices.on_devices import check_run, on_devices

        excluded = {
            "DEVICE": name,
            "--pull": pull,
            "--tty": tty,
            "--debug": debug,
            "--watch": watch,
            "--forward": forward,
            "--bundle-file": bundle_file,
            "--trace-file": trace.trace_file,
        }
        for word in filter(excluded.get, excluded):
            raise not_with_on(word)
        if device != BUILT_IN_TARGET:
            check_run(device)
        words = [*without_on(line.own), "--", *line.program]
        return on_devices(devices.on, words, choice, build, as_json=json)

    def request_of(project: Project) -> RunRequest:
        named = find_named_run(project, name, device) if name else None
        return RunRequest(
            command=line.program or ((named.program, *named.args) if named else ()),
            env={
                **variables(named.env if named else {}),
                **dict(_variable(text) for text in env or ()),
            },
            cwd=cwd or (named.cwd if named else ""),
            timeout=option_seconds(timeout or (named.timeout if named and not debug else "")),
            terminal=tty,
            farf=farf_levels(farf or bool(named and named.farf)),
            pull=dict(_pulled(text) for text in (*(named.pull if named else ()), *(pull or ()))),
            forward=tuple(
                _ports(text) for text in (*(named.forward if named else ()), *(forward or ()))
            ),
            # The end of a debugger is one of the DSP process.
            dsp_may_crash=dsp_may_crash or debug or bool(named and named.dsp_may_crash),
        )

    project = find_project(Path.cwd())
    screen = Screen(quiet=True, verbose=build.verbose)
    options = build.for_engine()
    if watch:
        from buildtool.cli.devices.run_watch import RepeatedRun, check_options, run_watching

        check_options({"--tty": tty, "--debug": debug, "--json": json, "--trace": trace.wanted})
        run_watching(project, RepeatedRun(device, request_of, choice, options), screen)
    request = request_of(project)
    record: RunRecord | None = None
    listened: contextlib.AbstractContextManager[Listener] = contextlib.nullcontext(screen)
    if bundle_file or (_in_ci() if bundle is None else bundle):
        from buildtool.run.bundle.record import RunRecord
        from buildtool.run.bundle.write import bundle_of_failure, check_place

        record = RunRecord(project, device, request, ["buildtool", *sys.argv[1:]])
        file = bundle_file.absolute() if bundle_file else None
        if file:
            check_place(file)
        listened = bundle_of_failure(record, file, screen)
    with listened as listening, trace.traced(project, listening) as listener:
        result = flow.run(
            project,
            device,
            request,
            choice=choice,
            listener=listener,
            options=options,
            streams=Streams(stdout=sys.stderr.fileno()) if json else None,
            record=record,
        )
    if result.calls:
        from buildtool.run.dsp_calls import with_method_names

        result = result._replace(calls=with_method_names(project, result.calls))
    if json:
        from buildtool.run.method_counts import with_names

        result = result._replace(methods=with_names(project, result.methods))
        document: RunDocument = {
            **result.as_json(),
            "bundle": str(record.bundle) if record and record.bundle else None,
        }
        print_json(document)
    for text in result.calls.lines() if result.calls else ():
        screen(Note(text))
    if calls_nothing(result):
        screen(Note(f"the program did not use the DSP; {_status(result.status)}"))
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
    """The same for a crash of the DSP process."""
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
