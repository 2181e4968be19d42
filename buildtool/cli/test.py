"""`buildtool test [DEVICE] [TEST...]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli import INTERRUPTED
from buildtool.cli.options import (
    BUILD,
    BuildType,
    CompilerLauncher,
    DeviceTarget,
    Force,
    JobsAndTests,
    Json,
    KeepGoing,
    On,
    Sanitize,
    Share,
    Soc,
    Strict,
    StrictIsa,
    Wait,
    not_with_on,
    print_json,
    wait_seconds,
    without_on,
)
from buildtool.cli.typer_classes import ARGUMENTS, StrictCommand

COMMAND_CLASS = StrictCommand


def test(
    ctx: typer.Context,
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
    shard: Annotated[
        str,
        typer.Option("--shard", metavar="I/N", help="Run part I of N of the tests: 2/3."),
    ] = "",
    strict: Strict = "",
    sanitize: Sanitize = False,
    force: Force = False,
    target: DeviceTarget = "",
    soc: Soc = "",
    jobs: JobsAndTests = 0,
    keep_going: KeepGoing = False,
    verbose: Annotated[
        bool,
        typer.Option(
            *("--verbose", "-v"),
            help="Print all output of the tools and of all tests.",
            rich_help_panel=BUILD,
        ),
    ] = False,
    build_type: BuildType = "",
    strict_isa: StrictIsa = False,
    launcher: CompilerLauncher = "",
    on: On = None,
    wait: Wait = "",
    share: Share = False,
    json: Json = False,
) -> None:
    """Build and push what changed, and run the tests on a device.

    The exit status is 0 if all tests passed or failed as expected, 1 if not, and 125 if they could
    not be run. With --on, devices of one target share the tests.

    TEST is the name of a test or suite, or a glob: 'unit*'.
    """
    from buildtool import flow
    from buildtool.cli.screen import Screen
    from buildtool.cli.show import show
    from buildtool.cli.test_summary import report_tests
    from buildtool.deploy.ready import DeviceChoice
    from buildtool.engine.context import Options
    from buildtool.project.read import find_project
    from buildtool.project.runs import option_seconds
    from buildtool.testing.junit import check_output
    from buildtool.testing.results import title
    from buildtool.testing.suites import TIMEOUT

    choice = DeviceChoice(
        target=target,
        soc=soc,
        force=force,
        build_type=build_type,
        strict_isa=strict_isa,
        strict=strict,
        sanitize=sanitize,
        wait=wait_seconds(wait),
        share=share,
    )
    options = Options(jobs=jobs, keep_going=keep_going, compiler_launcher=launcher)
    seconds = option_seconds(timeout) or TIMEOUT
    if junit:
        check_output(junit)
    if on is not None:
        from buildtool.cli.test_on_devices import test_on_devices

        for word, is_given in (("--list", list_), ("--shard", shard)):
            if is_given:
                raise not_with_on(word)
        arguments = ["test", *without_on(ctx.meta[ARGUMENTS], "--junit")]
        status = test_on_devices(
            on, arguments, junit, choice=choice, verbose=verbose, as_json=json, options=options
        )
        raise typer.Exit(status)
    project = find_project(Path.cwd())
    listener = Screen(quiet=True, verbose=verbose)
    if list_:
        found = flow.list_tests(
            project,
            device,
            tests or (),
            choice=choice,
            listener=listener,
            options=options,
            shard=shard,
        )
        if json:
            print_json({"tests": [{"suite": suite, "name": name} for suite, name in found]})
        for suite, name in () if json else found:
            show(title(suite, name))
        return
    done = flow.test(
        project,
        device,
        tests or (),
        timeout=seconds,
        choice=choice,
        listener=listener,
        options=options,
        shard=shard,
    )
    report_tests([done], junit, table=not json)
    if json:
        print_json(done.as_json())
    raise typer.Exit(INTERRUPTED if done.interrupted else int(bool(done.bad)))
