"""`buildtool test` on several devices, and tests that run elsewhere: one report of all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from buildtool.cli import INTERRUPTED
from buildtool.cli.devices.on_devices import Child, run_on_devices
from buildtool.cli.devices.test_options import ExportOptions, MatrixOptions
from buildtool.cli.devices.test_summary import report_tests
from buildtool.cli.options import BuildOptions
from buildtool.cli.screen import Screen
from buildtool.cli.show import SCHEMA, print_json, show
from buildtool.core.errors import UsageError
from buildtool.deploy.ready import DeviceChoice
from buildtool.device.card import RequirementsError
from buildtool.project.model import BUILT_IN_TARGET
from buildtool.project.read import find_project
from buildtool.testing.results import (
    DEVICE_SUITE,
    Outcome,
    TestResult,
    TestRun,
    run_from_json,
)

if TYPE_CHECKING:
    from buildtool.documents.runs import (
        OnDeviceObject,
        OnDevicesDocument,
        TestDocument,
        TestExportDocument,
    )


def test_on_devices(
    text: str,
    words: Sequence[str],
    choice: DeviceChoice,
    build: BuildOptions,
    *,
    junit: Path | None,
    matrix: MatrixOptions,
    as_json: bool,
) -> int:
    """Run tests on several devices, and print one report of all; returns the exit status.  For a
    matrix, each device runs all tests; a device that lacks what its target requires is no failure.
    """
    words = words if as_json else [*words, "--json"]
    shards = not matrix.markdown
    done = run_on_devices(text, words, choice, build, documents=True, shards=shards)
    project, runs = find_project(Path.cwd()), [_results(child) for child in done.children]
    report_tests(project, runs, junit, matrix, table=not as_json)
    ended = zip(done.children, runs, strict=True)
    failed = any(child.status and not _is_unsupported(run) for child, run in ended)
    if as_json:
        print_json({**done.as_json(), "ok": not failed})
    return INTERRUPTED if done.interrupted else int(failed)


def _is_unsupported(run: TestRun) -> bool:
    """Whether a device lacks what the target requires."""
    return [(test.suite, test.outcome) for test in run.tests] == [
        (DEVICE_SUITE, Outcome.EXPECTED_FAILURE)
    ]


def _results(child: Child) -> TestRun:
    """The results that a process reports; if the tests could not run, one result that says why."""
    device = str(child.chosen)
    document = child.document
    try:
        run = run_from_json(document)
    except ValueError:
        message, outcome = f"exit status {child.status}", Outcome.NOT_RUN
        if isinstance(document, dict) and isinstance(error := document.get("error"), dict):
            message = str(error.get("message", message))
            if error.get("code") == RequirementsError.code:
                message, outcome = f"{message}: {error.get('why')}", Outcome.EXPECTED_FAILURE
        failed = TestResult(DEVICE_SUITE, device, device, outcome, child.seconds, message)
        began = time.time() - child.seconds
        return TestRun(
            *(device, "", child.release, "", ""),
            soc=child.chosen.soc,
            started=began,
            seconds=child.seconds,
            interrupted=False,
            tests=(failed,),
        )
    return run._replace(device=device)


def exported(
    device: str,
    tests: Sequence[str],
    options: ExportOptions,
    matrix: MatrixOptions,
    junit: Path | None,
    *,
    timeout: float,
    choice: DeviceChoice,
    build: BuildOptions,
    as_json: bool,
) -> int:
    """Export tests, or report what came back; returns the exit status."""
    from buildtool.flow.exports import export_tests, import_results

    project = find_project(Path.cwd())
    if not options.export or bool(options.service) == bool(options.results):
        raise UsageError(
            "the export is incomplete",
            why="tests are exported with --export DIR --for SERVICE:DEVICE, and results are"
            " reported with --export DIR --import RESULTS",
            remedy="Write one of these: buildtool help test",
        )
    if options.results:
        runs = import_results(project, options.export, options.results)
        report_tests(project, runs, junit, matrix, table=not as_json)
        ok = not any(run.bad for run in runs)
        if as_json:
            document: OnDevicesDocument = {"ok": ok, "devices": [_as_json(run) for run in runs]}
            print_json(document)
        return int(not ok)
    # No device is needed, so the first word is one of the tests.
    patterns = [*([device] if device != BUILT_IN_TARGET else []), *tests]
    export = export_tests(
        *(project, options.export, options.service, patterns),
        timeout=timeout,
        choice=choice,
        listener=Screen(quiet=True, verbose=build.verbose),
        options=build.for_engine(),
    )
    count = sum(not test.left_out for test in export.tests)
    if as_json:
        made: TestExportDocument = {
            "export": export.id,
            "directory": str(options.export),
            "tests": count,
        }
        print_json(made)
    else:
        show(f"{count} tests for {export.service} in {options.export}")
    return 0


def _as_json(run: TestRun) -> OnDeviceObject:
    """The results of a device as `test --on` prints them."""
    return {
        "device": run.device,
        "release": run.release,
        "status": int(bool(run.bad)),
        "seconds": round(run.seconds, 3),
        "document": cast("TestDocument", {"schema": SCHEMA, **run.as_json()}),
    }
