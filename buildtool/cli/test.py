"""`buildtool test [DEVICE] [TEST...]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli.options import (
    BuildType,
    DeviceTarget,
    Force,
    Jobs,
    Json,
    KeepGoing,
    Launcher,
    Soc,
    Strict,
    StrictIsa,
    print_json,
)
from buildtool.cli.typer_classes import StrictCommand

COMMAND_CLASS = StrictCommand


def test(
    device: Annotated[
        str, typer.Argument(metavar="[DEVICE]", help="Device to test on; default: sim.")
    ] = "sim",
    tests: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEST...]", help="Tests or suites to run (globs); default: all of them."
        ),
    ] = None,
    *,
    list_: Annotated[
        bool, typer.Option("--list", help="Print the names of the tests, and run none.")
    ] = False,
    timeout: Annotated[
        str,
        typer.Option(
            "--timeout",
            metavar="TIME",
            help="End tests without a timeout of their own after TIME; default: 5m.",
        ),
    ] = "",
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Write the results as JUnit XML to FILE."),
    ] = None,
    strict: Strict = "",
    force: Force = False,
    target: DeviceTarget = "",
    soc: Soc = "",
    jobs: Jobs = 0,
    keep_going: KeepGoing = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Print all output of the tools and of all tests."),
    ] = False,
    build_type: BuildType = "",
    strict_isa: StrictIsa = False,
    launcher: Launcher = "",
    json: Json = False,
) -> None:
    """Build and push what changed, and run the tests on a device.

    The exit status is 0 if all tests passed or failed as expected, 1 if not, and 125 if they could
    not be run.

    TEST is the name of a test or suite, or a glob: 'unit*'.
    """
    from buildtool import flow
    from buildtool.cli.screen import Screen
    from buildtool.cli.show import show
    from buildtool.cli.test_summary import show_summary
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.engine.context import Options
    from buildtool.project.read import find_project
    from buildtool.project.runs import option_seconds
    from buildtool.testing.junit import check_output, write_junit
    from buildtool.testing.results import title
    from buildtool.testing.suites import TIMEOUT

    project = find_project(Path.cwd())
    seconds = option_seconds(timeout) or TIMEOUT
    choice = DeviceChoice(target, soc, False, force, build_type, strict_isa, strict)
    listener = Screen(quiet=True, verbose=verbose)
    options = Options(jobs=jobs, keep_going=keep_going, launcher=launcher)
    if list_:
        found = flow.list_tests(
            project, device, tests or (), choice=choice, listener=listener, options=options
        )
        if json:
            print_json({"tests": [{"suite": suite, "name": name} for suite, name in found]})
        for suite, name in () if json else found:
            show(title(suite, name))
        return
    if junit:
        check_output(junit)
    done = flow.test(
        project,
        device,
        tests or (),
        timeout=seconds,
        choice=choice,
        listener=listener,
        options=options,
    )
    try:
        if junit:
            write_junit(done, junit)
    finally:
        if not json:
            show_summary(done)
    if json:
        print_json(done.as_json())
    raise typer.Exit(int(bool(done.bad)))
