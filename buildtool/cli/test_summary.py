"""The table at the end of `buildtool test`."""

from __future__ import annotations

import io
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from buildtool.cli.show import shows_colours, write
from buildtool.core.escape import escape
from buildtool.testing.results import BAD, Outcome, TestRun, title

COLUMNS = {
    "passed": ({Outcome.PASSED}, "green"),
    "failed": (BAD, "red"),
    "expected failure": ({Outcome.EXPECTED_FAILURE}, "yellow"),
    "skipped": ({Outcome.SKIPPED}, "yellow"),
}


def show_summary(run: TestRun) -> None:
    """Print how many tests of each suite ended how, and which ones were bad or run again."""
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
    table.add_column("suite", overflow="fold")
    for name, (_, style) in COLUMNS.items():
        table.add_column(name, justify="right", style=style)
    table.add_column("seconds", justify="right")
    for suite in dict.fromkeys(result.suite for result in run.tests):
        tests = [result for result in run.tests if result.suite == suite]
        counts = (
            sum(each.outcome in outcomes for each in tests) for outcomes, _ in COLUMNS.values()
        )
        seconds = sum(each.seconds for each in tests)
        table.add_row(_text(suite), *(str(count or "") for count in counts), f"{seconds:.1f}")
    console.print(table, soft_wrap=False)
    for result in run.tests:
        name = title(result.suite, result.name)
        if result.outcome in BAD:
            why = f"✗ {name} {result.outcome.value}: {result.message}".rstrip(": ")
            console.print(_text(why), style="red")
        if result.lost:
            times = "once" if len(result.lost) == 1 else f"{len(result.lost)} times"
            console.print(_text(f"! {name}: the connection was lost {times}: {result.lost[-1]}"))
    good = len(run.tests) - len(run.bad)
    where = " ".join(filter(None, (run.device, run.soc, run.arch)))
    console.print(_text(f"{good} of {len(run.tests)} tests are good on {where}"))
    write(text.getvalue())


def _text(text: str) -> Text:
    return Text(escape(text))
