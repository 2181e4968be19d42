"""`buildtool run [DEVICE] [RUN] [-- PROGRAM [ARGUMENT...]]`."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.devices.program_options import (
    WRONG_NUMBERS,
    ProgramOptions,
    find_named_run,
    may_be_wrong_numbers,
    run_for_command,
    show_end,
)
from buildtool.cli.devices.run_profile import ProfileOptions, show_profile
from buildtool.cli.devices.run_record import RecordOptions
from buildtool.cli.options import (
    DEVICE,
    BuildOptions,
    CheckOptions,
    DeviceOptions,
    Domain,
    ExpectDsp,
    Json,
    Signed,
    TraceOptions,
    check_excluded,
    check_with_on,
    checked_domain,
    without_on,
)
from buildtool.cli.parameters import Argument, CommandLine, Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json
from buildtool.core.errors import UsageError
from buildtool.core.events import Listener, Note
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.read import find_optional_project, find_project
from buildtool.run.program import RunRequest

if TYPE_CHECKING:
    from buildtool.run.bundle.record import RunRecord

EXAMPLES = (
    ("buildtool run", "The only program of the target, on sim."),
    ("buildtool run q6a -- bin/demo -n 3", "A program of the release with arguments."),
    ("buildtool run q6a probe --timeout 2m", "[run.probe] of buildtool.toml."),
    ("buildtool run sim --soc SM8550", "On the emulated device, as another chip."),
    ("buildtool run phone --farf --pull log", "With the DSP's messages; fetch a file."),
    ("buildtool run sim --dsp-program lib.so -- 3", "A library with main, on the DSP."),
    ("buildtool run sim --replay bug.zip", "The run of a capture or bundle again."),
)


def run(
    device: Annotated[str, Argument("[DEVICE]", "Device to run on; default: sim.")] = "sim",
    name: Annotated[str, Argument("[RUN]", "Named run: [run.RUN] in buildtool.toml.")] = "",
    *,
    farf: Annotated[bool, Option("--farf", "Show and keep what the DSP logs.")] = False,
    tty: Annotated[bool, Option("--tty -t", "Give the program a terminal.")] = False,
    watch: Annotated[
        bool, Option("--watch -w", "Run again whenever a source changes, until Ctrl-C.")
    ] = False,
    bundle: Annotated[
        bool | None,
        Option(
            "--bundle/--no-bundle",
            "On failure, write an archive as capture does; default: in CI only.",
        ),
    ] = None,
    bundle_file: Annotated[
        Path | None, Option("--bundle-file", "Write it as FILE; implies --bundle.", "FILE")
    ] = None,
    replay: Annotated[
        Path | None,
        Option(
            "--replay", "Repeat the run of FILE, a capture or bundle, with its release.", "FILE"
        ),
    ] = None,
    dsp_program: Annotated[
        Path | None,
        Option("--dsp-program", "Run FILE, a shared library with main, on the DSP.", "FILE"),
    ] = None,
    verify: Annotated[
        bool, Option("--verify", "First verify the release on the device.", heading=DEVICE)
    ] = False,
    program: ProgramOptions = ProgramOptions(),
    checks: CheckOptions = CheckOptions(),
    debug: Annotated[
        bool, Option("--debug", "Debug the DSP process of sim with LLDB.", heading=DEVICE)
    ] = False,
    domain: Domain = "",
    signed: Signed = False,
    expect_dsp: ExpectDsp = False,
    trace: TraceOptions = TraceOptions(),
    record_options: RecordOptions = RecordOptions(),
    profile: ProfileOptions = ProfileOptions(),
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
        domain=checked_domain(domain),
        signed=signed,
        expect_dsp=expect_dsp,
        trace=trace.wanted,
        record=record_options.wanted(),
        profile=profile.wanted(),
        **checks.for_choice(),
    )
    if devices.on is not None:
        from buildtool.cli.devices.on_devices import check_run, on_devices

        excluded = {
            "DEVICE": name,
            "--pull": program.pull,
            "--tty": tty,
            "--debug": debug,
            "--watch": watch,
            "--forward": program.forward,
            "--replay": replay,
            "--dsp-program": dsp_program,
            "--bundle-file": bundle_file,
            "--trace-file": trace.trace_file,
            "--record-calls": choice.record,
            "--profile": profile.wanted(),
        }
        check_with_on(excluded)
        if device != BUILT_IN_TARGET:
            check_run(device)
        words = [*without_on(line.own), "--", *line.program]
        return on_devices(devices.on, words, choice, build, as_json=json)

    def request_of(project: Project) -> RunRequest:
        named = find_named_run(project, name, device) if name else None
        return program.request(named, command, farf=farf, terminal=tty, debug=debug)

    if replay:
        from buildtool.cli.devices.replayed_run import check_with_replay, replayed_run

        check_with_replay({"RUN": name}, "the program and its arguments are those of the bundle")
        check_with_replay({"--watch": watch, "--debug": debug})
        bundled = {"--bundle": bundle or bundle_file}
        check_with_replay(bundled, "the bundle of the run exists already")
        others = {"--trace": trace.wanted, "--record-calls": choice.record}
        check_with_replay({**others, "--dsp-program": dsp_program})
        again = (replay, device, program, choice, line)
        return replayed_run(*again, build=build, farf=farf, tty=tty, json=json)

    project, command = _project_and_command(dsp_program, line, alone=not (name or watch))
    screen = Screen(quiet=True, verbose=build.verbose)
    options = build.for_engine()
    if watch:
        from buildtool.cli.devices.run_watch import RepeatedRun, run_watching

        check_excluded(
            "--watch",
            {
                "--tty": tty,
                "--debug": debug,
                "--json": json,
                "--profile": profile.wanted(),
                "--trace": trace.wanted,
                "--record-calls": choice.record,
            },
            why="with --watch the program is started again and again, and has no input",
            remedy="Omit {other}, or omit --watch for a single run.",
        )
        run_watching(project, RepeatedRun(device, request_of, choice, options), screen)
    request = request_of(project)
    record: RunRecord | None = None
    listened: contextlib.AbstractContextManager[Listener] = contextlib.nullcontext(screen)
    if bundle_file or (_in_ci() if bundle is None else bundle):
        from buildtool.run.bundle.record import RunRecord
        from buildtool.run.bundle.write import bundle_of_failure, check_place

        record = RunRecord(project, device, request, choice, ["buildtool", *sys.argv[1:]])
        file = bundle_file.absolute() if bundle_file else None
        if file:
            check_place("--bundle-file", file)
        listened = bundle_of_failure(record, file, screen)
    with listened as listening, trace.traced(project, listening) as listener:
        result = run_for_command(
            *(project, device, request, choice, listener), options=options, json=json, record=record
        )
    result = show_profile(project, result, profile, screen)
    if json:
        bundle_path = str(record.bundle.path) if record and record.bundle else None
        traced = trace.file_of(listener)
        print_json({**result.as_json(), "bundle": bundle_path, "trace": traced})
    if may_be_wrong_numbers(result, choice):
        screen(Note(WRONG_NUMBERS))
    return show_end(result, request, screen)


def _project_and_command(
    dsp_program: Path | None, line: CommandLine, *, alone: bool
) -> tuple[Project, tuple[str, ...]]:
    """The project of the current directory, or that of --dsp-program, which is used `alone`."""
    if not dsp_program:
        return find_project(Path.cwd()), line.program
    if not alone:
        raise UsageError(
            "--dsp-program cannot be used with RUN or --watch",
            why="it runs a file that is not part of a project",
            remedy="Omit one of them; arguments of the program follow --.",
        )
    from buildtool.flow.dsp_programs import project_of_program

    project, called = project_of_program(dsp_program, find_optional_project(Path.cwd()))
    return project, (called, *line.program)


def _in_ci() -> bool:
    """Whether a CI service runs this: all of them set the variable."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
