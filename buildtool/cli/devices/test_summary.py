"""Runs the tests of `buildtool test`: on one device, on several, or exported; prints results."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from buildtool.cli import INTERRUPTED
from buildtool.cli.devices.on_devices import Child, run_on_devices
from buildtool.cli.devices.test_options import ExportOptions, MatrixOptions
from buildtool.cli.options import BuildOptions
from buildtool.cli.screen import Screen
from buildtool.cli.show import SCHEMA, place, print_json, show, shows_colours, write
from buildtool.core.errors import UsageError
from buildtool.core.escape import escape
from buildtool.deploy.ready import DeviceChoice
from buildtool.device.card import RequirementsError
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.read import find_project
from buildtool.run.first_finding import FirstFinding
from buildtool.testing.junit import write_junit
from buildtool.testing.results import (
    BAD,
    DEVICE_SUITE,
    Outcome,
    TestResult,
    TestRun,
    run_from_json,
    title,
)

if TYPE_CHECKING:
    from buildtool.documents.measurements import OnDeviceObject, OnDevicesDocument
    from buildtool.documents.runs import TestDocument, TestExportDocument

COLUMNS = {
    "passed": ({Outcome.PASSED}, "green"),
    "failed": (BAD, "red"),
    "expected failure": ({Outcome.EXPECTED_FAILURE}, "yellow"),
    "skipped": ({Outcome.SKIPPED}, "yellow"),
}

NAMED = 3
"""The tests that are named of those that did not run for the same reason."""


def report_tests(
    project: Project,
    runs: Sequence[TestRun],
    junit: Path | None,
    matrix: MatrixOptions,
    *,
    table: bool,
) -> None:
    """Write the results of `runs` to the file `junit` and as a matrix, and print the table, each
    even if the others cannot be done."""
    with contextlib.ExitStack() as stack:
        if table:
            stack.callback(show_summary, runs)
        if matrix.markdown:
            from buildtool.report.markdown import write_matrix

            stack.callback(write_matrix, project, runs, matrix.markdown, matrix.log_url)
        if junit:
            write_junit(runs, junit)


def show_summary(runs: Sequence[TestRun]) -> None:
    """Print how many tests of each suite ended how on each device, and which ones were bad or run
    again."""
    text = io.StringIO()
    console = Console(
        file=text,
        force_terminal=shows_colours(sys.stdout),
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    if len(runs) > 1:
        table.add_column("device", overflow="fold")
    table.add_column("suite", overflow="fold")
    for name, (_, style) in COLUMNS.items():
        table.add_column(name, justify="right", style=style)
    table.add_column("seconds", justify="right")
    for run in runs:
        for suite in dict.fromkeys(result.suite for result in run.tests):
            device = [_text(run.device)] if len(runs) > 1 else []
            tests = [result for result in run.tests if result.suite == suite]
            table.add_row(*device, _text(suite), *_cells(tests))
    console.print(table, soft_wrap=False)
    for run in runs:
        where = f" on {run.device}" if len(runs) > 1 else ""
        alike = _not_run_alike(run.tests)
        for result in run.tests:
            name = f"{title(result.suite, result.name)}{where}"
            others = alike.get(result.message, ()) if result.outcome is Outcome.NOT_RUN else ()
            if result.outcome in BAD and not others:
                why = f"✗ {name} {result.outcome.value}: {result.message}".rstrip(": ")
                console.print(_text(why), style="red")
            elif others and others[0] is result:
                names = f"{len(others)} tests{where} not run: {result.message} ({_names(others)})"
                console.print(_text(f"✗ {names}"), style="red")
            if result.lost:
                times = "once" if len(result.lost) == 1 else f"{len(result.lost)} times"
                lost = f"! {name}: the connection was lost {times}: {result.lost[-1]}"
                console.print(_text(lost))
        for finding, found in _findings(run.tests).items():
            console.print(_text(f"{_names(found)}{where}: {finding.text()}"))
    tests = [result for run in runs for result in run.tests]
    succeeded = sum(result.outcome not in BAD for result in tests)
    where = ", ".join(place(run.device, run.soc, run.arch) for run in runs)
    interrupted = "interrupted: " if any(run.interrupted for run in runs) else ""
    console.print(_text(f"{interrupted}{succeeded} of {len(tests)} tests succeeded on {where}"))
    write(text.getvalue())


def _not_run_alike(tests: Sequence[TestResult]) -> dict[str, list[TestResult]]:
    """The tests that did not run for the same reason, by reason, where there are several."""
    found: dict[str, list[TestResult]] = {}
    for result in tests:
        if result.outcome is Outcome.NOT_RUN:
            found.setdefault(result.message, []).append(result)
    return {message: alike for message, alike in found.items() if message and len(alike) > 1}


def _findings(tests: Sequence[TestResult]) -> dict[FirstFinding, list[TestResult]]:
    """The first findings, each with the tests that have its cause."""
    alike: dict[tuple[str, str], list[TestResult]] = {}
    for test in tests:
        if test.finding:
            alike.setdefault((test.finding.name, test.finding.cause), []).append(test)
    return {found[0].finding: found for found in alike.values() if found[0].finding}


def _names(tests: Sequence[TestResult]) -> str:
    names = ", ".join(title(test.suite, test.name) for test in tests[:NAMED])
    return f"{names}, … and {len(tests) - NAMED} more" if len(tests) > NAMED else names


def _cells(tests: Sequence[TestResult]) -> list[str]:
    """The cells of COLUMNS, and the seconds."""
    counts = (sum(each.outcome in outcomes for each in tests) for outcomes, _ in COLUMNS.values())
    seconds = sum(each.seconds for each in tests)
    return [*(str(count or "") for count in counts), f"{seconds:.1f}"]


def _text(text: str) -> Text:
    return Text(escape(text))


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
            *(device, "", child.release, "", child.chosen.soc, ""),
            started=began,
            seconds=child.seconds,
            interrupted=False,
            tests=(failed,),
        )
    return run._replace(device=device)


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
