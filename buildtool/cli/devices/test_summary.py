"""Prints the results of `buildtool test`."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from buildtool.cli.devices.test_options import MatrixOptions
from buildtool.cli.show import place, shows_colours, write
from buildtool.core.escape import escape
from buildtool.project.model import Project
from buildtool.run.first_finding import FirstFinding
from buildtool.testing.junit import write_junit
from buildtool.testing.results import (
    BAD,
    Outcome,
    TestResult,
    TestRun,
    title,
)

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
