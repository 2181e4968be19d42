"""`buildtool test --export` and `--import`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from buildtool.cli.devices.test_summary import report_tests
from buildtool.cli.devices.testing.options import ExportOptions, MatrixOptions
from buildtool.cli.options import BuildOptions
from buildtool.cli.screen import Screen
from buildtool.cli.show import SCHEMA, print_json, show
from buildtool.core.errors import UsageError
from buildtool.deploy.ready import DeviceChoice
from buildtool.project.model import BUILT_IN_TARGET
from buildtool.project.read import find_project
from buildtool.testing.results import TestRun

if TYPE_CHECKING:
    from buildtool.documents.measurements import OnDeviceObject, OnDevicesDocument
    from buildtool.documents.runs import TestDocument, TestExportDocument


def check_alone(*others: tuple[str, object]) -> None:
    """Raise `UsageError` for another option that is given."""
    for option, value in others:
        if value:
            raise UsageError(
                f"--export cannot be used with {option}",
                why="exported tests run on devices of another service",
                remedy=f"Omit {option}.",
            )


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
