"""`buildtool diverge FILE [OTHER]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import (
    DEVICE,
    BuildOptions,
    CheckOptions,
    Domain,
    Json,
    OneDeviceOptions,
    checked_domain,
)
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.screen import Screen
from buildtool.cli.show import print_json, show
from buildtool.core.errors import UsageError
from buildtool.project.benches import ELEMENT_TYPES
from buildtool.project.read import find_project

if TYPE_CHECKING:
    from buildtool.run.recorded.differences import Divergence

SHOWN = 5
"""Messages with stray changes that are listed."""
EXACT = 1e9
"""Whole numbers below are shown with all digits."""
EXAMPLES = (
    ("buildtool run sim --record-calls a.calls", "Record what a program asks of the DSP."),
    (
        "buildtool diverge a.calls --soc SM8750",
        "The first call that another chip answers otherwise.",
    ),
    ("buildtool diverge a.calls --on q6a", "The same on a board."),
    ("buildtool diverge a.calls --against v1.2", "The same calls, with the skels of a revision."),
    ("buildtool diverge a.calls b.calls", "Two recordings, without a device."),
)


def diverge(
    file: Annotated[Path, Argument("FILE", "A recording of run --record-calls.")],
    other: Annotated[
        Path | None, Argument("[OTHER]", "Another one, instead of repeating the calls.")
    ] = None,
    *,
    on: Annotated[
        str, Option("--on", "Repeat the calls on DEVICE; default: sim.", "DEVICE", heading=DEVICE)
    ] = "sim",
    against: Annotated[
        str, Option("--against", "Repeat them with the project of the revision REV.", "REV")
    ] = "",
    reference: Annotated[
        str,
        Option(
            "--reference",
            "Let LIB of the release answer, not the DSP; ggml: the CPU backend of llama.cpp.",
            "LIB",
        ),
    ] = "",
    chained: Annotated[
        bool,
        Option("--chained", "Let later calls find in shared memory what earlier ones made."),
    ] = False,
    type_: Annotated[
        str,
        Option("--as", "Type of numbers in octets and shared memory: f16, f32, i32, ...", "TYPE"),
    ] = "",
    write_test: Annotated[
        Path | None,
        Option(
            "--write-test", "Write the first call that differs as FILE, for [test.NAME].", "FILE"
        ),
    ] = None,
    timeout: Annotated[
        str, Option("--timeout", "Stop the calls after TIME: 90s, 2m, 1h.", "TIME")
    ] = "",
    domain: Domain = "",
    checks: CheckOptions = CheckOptions(),
    devices: OneDeviceOptions = OneDeviceOptions(),
    build: BuildOptions = BuildOptions(),
    json: Json = False,
) -> int:
    """Find the first recorded call of the DSP with other results.

    The calls are repeated, each with the inputs that were recorded. Results are compared bit for
    bit, or as [compare.METHOD] says. The exit status is 1 if a call differs.
    """
    from buildtool.flow import divergences
    from buildtool.project.runs import option_seconds
    from buildtool.run.recorded.compare import compare
    from buildtool.run.recorded.recording import Recording
    from buildtool.run.recorded.repeat import Repeat

    if type_ and type_ not in ELEMENT_TYPES:
        raise UsageError(f"--as {type_}: no such type", remedy=f"Take {', '.join(ELEMENT_TYPES)}.")
    project = find_project(Path.cwd())
    recorded = Recording(file)
    if other and (against or reference or chained or timeout):
        raise UsageError(
            "two recordings are compared without repeating calls",
            why="--against, --reference, --chained and --timeout say how calls are repeated",
            remedy="Omit the second recording, or these options.",
        )
    if other:
        result = compare(project, recorded, Recording(other), type_=type_, same_inputs=False)
    else:
        choice = devices.choice(build, domain=checked_domain(domain), **checks.for_choice())
        repeat = Repeat(choice, chained, option_seconds(timeout), reference)
        screen = Screen(quiet=True, verbose=build.verbose)
        result = divergences.diverge(
            *(project, on, recorded, repeat),
            listener=screen,
            options=build.for_engine(),
            revision=against,
            type_=type_,
        )
    if write_test:
        from buildtool.run.recorded.cases import write_case

        if result.first:
            write_case(recorded, result.first.call, write_test)
            text = f"{write_test} expects the recorded results; a test of it in buildtool.toml:"
            table = f'[test.{write_test.stem}]\ncalls = "{write_test}"'
            show(f"{text}\n{table}\n", file=sys.stderr)
        else:
            show(f"nothing differs: {write_test} is not written", file=sys.stderr)
    if json:
        print_json(result.as_json())
    else:
        for line in _lines(result, other.name if other else ""):
            show(line)
    return 1 if result.first else 0


def _lines(result: Divergence, other: str) -> list[str]:
    from buildtool.cli.table import Table

    lines = []
    if result.first:
        lines += [*result.first.lines(other), ""]
    rows = [
        [
            row.method,
            f"{row.calls:,}",
            f"{row.equal:,}",
            f"{row.within:,}",
            f"{row.differ:,}",
            str(row.first or ""),
            _size(row.largest),
            _size(row.nmse),
        ]
        for row in result.methods
    ]
    heading = ["method", "calls", "equal", "within", "differ", "first", "largest", "NMSE"]
    lines.append(Table(heading, rows, frozenset(range(1, 8))).text())
    total = sum(row.differ for row in result.methods)
    lines += ["", f"{total:,} of {result.compared:,} calls and messages differ"]
    for number, what in (
        (sum(row.other for row in result.methods), "have other inputs and are not compared"),
        (result.missing, "have results in one of both recordings only"),
        (result.left_out, "were not recorded"),
        (result.unknown, "are unknown to the reference"),
    ):
        if number:
            lines.append(f"{number:,} {what}")
    lines += [f"[compare.{name}] is for nothing that was compared" for name in result.unused]
    if result.strays:
        lines += ["", "memory that is no result of the message changed during"]
        lines += [f"  {stray}" for stray in result.strays[:SHOWN]]
        lines += [f"  and {len(result.strays) - SHOWN:,} more"] * (len(result.strays) > SHOWN)
    return lines


def _size(number: float | None) -> str:
    if number is None or not number:
        return "inf" if number is None else ""
    return f"{number:,.0f}" if number < EXACT and number == int(number) else f"{number:.2g}"
