"""`buildtool capture [DEVICE] [RUN] [-- PROGRAM [ARGUMENT...]]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from buildtool.cli.devices.program_options import (
    ProgramOptions,
    find_named_run,
    run_for_command,
    show_end,
)
from buildtool.cli.devices.run_record import RecordOptions
from buildtool.cli.options import (
    BuildOptions,
    CheckOptions,
    Domain,
    ExpectDsp,
    Json,
    OneDeviceOptions,
    checked_domain,
)
from buildtool.cli.parameters import Argument, CommandLine, Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json
from buildtool.project.read import find_project

EXAMPLES = (
    ("buildtool capture q6a -- bin/demo -n 3", "A run for a bug report."),
    ("buildtool run sim --replay demo-capture.zip", "Repeats it, on another machine."),
)


def capture(
    device: Annotated[str, Argument("[DEVICE]", "Device to run on; default: sim.")] = "sim",
    name: Annotated[str, Argument("[RUN]", "Named run: [run.RUN] in buildtool.toml.")] = "",
    *,
    output: Annotated[
        Path | None,
        Option("--output -o", "Write FILE; default: PROJECT-capture-RUN.zip here.", "FILE"),
    ] = None,
    release: Annotated[
        bool | None,
        Option(
            "--release/--no-release",
            "Include the release; default: unless it is large or contains a secret.",
        ),
    ] = None,
    program: ProgramOptions = ProgramOptions(),
    checks: CheckOptions = CheckOptions(),
    domain: Domain = "",
    expect_dsp: ExpectDsp = False,
    record_options: RecordOptions = RecordOptions(),
    devices: OneDeviceOptions = OneDeviceOptions(),
    build: BuildOptions = BuildOptions(),
    json: Json = False,
    line: CommandLine = CommandLine(),
) -> int:
    """Run a program, and write one archive for a bug report.

    As run --farf does, and whatever the result, also after Ctrl-C. The archive has output, logs,
    versions, facts, the capability card, and the release; it lists them before it is written, and
    secrets are replaced in it. run --replay repeats the run elsewhere.

    The exit status is that of run.
    """
    from buildtool.run.bundle.record import RunRecord
    from buildtool.run.bundle.write import captured, check_place

    choice = devices.choice(
        build,
        domain=checked_domain(domain),
        expect_dsp=expect_dsp,
        record=record_options.wanted(),
        **checks.for_choice(),
    )
    project = find_project(Path.cwd())
    screen = Screen(quiet=True, verbose=build.verbose)
    named = find_named_run(project, name, device) if name else None
    request = program.request(named, line.program, farf=True)
    record = RunRecord(project, device, request, choice, ["buildtool", *sys.argv[1:]])
    file = (output or Path(f"{project.name}-capture-{record.name}.zip")).absolute()
    check_place("--output", file)
    with captured(record, file, screen, release=release) as listener:
        result = run_for_command(
            *(project, device, request, choice, listener),
            options=build.for_engine(),
            json=json,
            record=record,
        )
    if json and (written := record.bundle):
        files = [{"path": path, "size": size} for path, size in written.files.items()]
        missing = [{"path": path, "why": why} for path, why in written.missing.items()]
        more = {"capture": str(file), "files": files, "missing": missing}
        print_json({**result.as_json(), **more})
    return show_end(result, request, screen)
