"""`buildtool test [DEVICE] [TEST...]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli import INTERRUPTED
from buildtool.cli.devices.test_options import ExportOptions, MatrixOptions
from buildtool.cli.devices.test_summary import report_tests
from buildtool.cli.options import (
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
from buildtool.cli.show import print_json, show
from buildtool.core.files import check_output_file
from buildtool.flow.tests import list_tests
from buildtool.flow.tests import test as run_tests
from buildtool.project.read import find_project
from buildtool.project.runs import option_seconds
from buildtool.testing.results import title
from buildtool.testing.suites import TIMEOUT

if TYPE_CHECKING:
    from buildtool.documents.runs import TestListDocument


def test(
    device: Annotated[str, Argument("[DEVICE]", "Device to test on; default: sim.")] = "sim",
    tests: Annotated[
        list[str] | None,
        Argument("[TEST...]", "Tests or suites to run (globs); default: all of them."),
    ] = None,
    *,
    list_: Annotated[bool, Option("--list", "Print the names of the tests, and run none.")] = False,
    timeout: Annotated[
        str,
        Option(
            "--timeout",
            "End tests without a timeout of their own after TIME; default: 5m.",
            "TIME",
        ),
    ] = "",
    junit: Annotated[
        Path | None, Option("--junit", "Write the results as JUnit XML to FILE.", "FILE")
    ] = None,
    shard: Annotated[str, Option("--shard", "Run part I of N of the tests: 2/3.", "I/N")] = "",
    export: ExportOptions = ExportOptions(),
    matrix: MatrixOptions = MatrixOptions(),
    checks: CheckOptions = CheckOptions(),
    domain: Domain = "",
    signed: Signed = False,
    expect_dsp: ExpectDsp = False,
    trace: TraceOptions = TraceOptions(),
    devices: DeviceOptions = DeviceOptions(),
    build: BuildOptions = BuildOptions(),
    json: Json = False,
    line: CommandLine = CommandLine(),
) -> int:
    """Build and push what changed, and run the tests on a device.

    The exit status is 0 if all tests passed or failed as expected, 1 if not, and 125 if they could
    not be run. With --on, devices of one target share the tests.

    TEST is the name of a test or suite, or a glob: 'unit*'.
    """
    choice = devices.choice(
        build,
        domain=checked_domain(domain),
        signed=signed,
        expect_dsp=expect_dsp,
        trace=trace.wanted,
        **checks.for_choice(),
    )
    seconds = option_seconds(timeout) or TIMEOUT
    if junit:
        check_output_file("--junit", junit, "results.xml")
    matrix.check()
    if any(export):
        from buildtool.cli.devices.test_on_devices import exported

        alone = {"--on": devices.on, "--list": list_, "--shard": shard}
        alone |= {"--trace": trace.wanted, "--expect-dsp": expect_dsp, "--domain": domain}
        alone |= {"--signed": signed}
        why = "exported tests run on devices of another service"
        check_excluded("--export", alone, why, "Omit {other}.")
        return exported(
            *(device, tests or (), export, matrix, junit),
            timeout=seconds,
            choice=choice,
            build=build,
            as_json=json,
        )
    if devices.on is not None:
        from buildtool.cli.devices.test_on_devices import test_on_devices

        check_with_on({"--list": list_, "--shard": shard, "--trace-file": trace.trace_file})
        words = without_on(line.own, "--junit", "--markdown", "--log-url")
        return test_on_devices(
            *(devices.on, words, choice, build), junit=junit, matrix=matrix, as_json=json
        )
    project = find_project(Path.cwd())
    listener = Screen(quiet=True, verbose=build.verbose)
    if list_:
        found = list_tests(
            project,
            device,
            tests or (),
            choice=choice,
            listener=listener,
            options=build.for_engine(),
            shard=shard,
        )
        if json:
            document: TestListDocument = {
                "tests": [{"suite": suite, "name": name} for suite, name in found]
            }
            print_json(document)
        for suite, name in () if json else found:
            show(title(suite, name))
        return 0
    with trace.traced(project, listener) as recorder:
        done = run_tests(
            project,
            device,
            tests or (),
            timeout=seconds,
            choice=choice,
            listener=recorder,
            options=build.for_engine(),
            shard=shard,
        )
    report_tests(project, [done], junit, matrix, table=not json)
    if json:
        print_json(done.as_json())
    return INTERRUPTED if done.interrupted else int(bool(done.bad))
