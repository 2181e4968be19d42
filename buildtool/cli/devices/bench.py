"""`buildtool bench [DEVICE] [BENCH]`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import (
    BuildOptions,
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
from buildtool.cli.show import show
from buildtool.core.errors import UsageError
from buildtool.flow import benches
from buildtool.project.benches import Bench
from buildtool.project.model import BUILT_IN_TARGET, Project
from buildtool.project.read import FILE_NAME, find_project
from buildtool.sdk.hexagon_simulator import HEXAGON_SIM

MAX_REPEAT = 100_000
MARGIN = "5"
if TYPE_CHECKING:
    from buildtool.measure.comparison import Benched, Swept

AGAINST = "Comparison options"
EXAMPLES = (
    ("buildtool bench", "Exact counts of the only bench, on sim."),
    ("buildtool bench q6a matvec", "[bench.matvec] of buildtool.toml on a board."),
    ("buildtool bench q6a matvec --against HEAD~1", "Is this tree faster than that commit?"),
    ("buildtool bench q6a matvec --sweep threads=1..4", "A row for each number of threads."),
    ("buildtool bench q6a matvec --against-build-type Debug", "The same source, built otherwise."),
)


def bench(
    device: Annotated[
        str, Argument("[DEVICE]", "Device to measure on, or hexagon-sim; default: sim.")
    ] = "sim",
    name: Annotated[
        str, Argument("[BENCH]", "[bench.BENCH] of buildtool.toml; default: the only one.")
    ] = "",
    *,
    against: Annotated[
        str,
        Option(
            "--against", "Compare with another revision of the project.", "REV", heading=AGAINST
        ),
    ] = "",
    against_directory: Annotated[
        str,
        Option(
            "--against-directory",
            "Compare with the project in another directory.",
            "DIR",
            heading=AGAINST,
        ),
    ] = "",
    against_target: Annotated[
        str, Option("--against-target", "Compare with another target.", "TARGET", heading=AGAINST)
    ] = "",
    against_build_type: Annotated[
        str,
        Option("--against-build-type", "Compare with another build type.", "TYPE", heading=AGAINST),
    ] = "",
    sweep: Annotated[
        list[str] | None,
        Option(
            "--sweep",
            "Measure with each of these values of a parameter (1..8 or 64,128); may be repeated.",
            "NAME=VALUES",
        ),
    ] = None,
    repeat: Annotated[
        int,
        Option(
            "--repeat",
            "Least number of runs that count; default: that of the bench, and 3 on sim.",
            "N",
            most=MAX_REPEAT,
        ),
    ] = 0,
    markdown: Annotated[
        bool, Option("--markdown", "Print the result as Markdown, for a pull request.")
    ] = False,
    write_budget: Annotated[
        bool,
        Option("--write-budget", "Write what is measured on sim as [budget.NAME], with a margin."),
    ] = False,
    margin: Annotated[
        str, Option("--margin", "Margin of --write-budget; default: 5 percent.", "PERCENT")
    ] = "",
    domain: Domain = "",
    signed: Signed = False,
    expect_dsp: ExpectDsp = False,
    trace: TraceOptions = TraceOptions(),
    devices: DeviceOptions = DeviceOptions(),
    build: BuildOptions = BuildOptions(),
    json: Json = False,
    line: CommandLine = CommandLine(),
) -> int:
    """Build and push what changed, and measure a program on a device.

    Each run is checked; if a check fails in one, no number is printed, and the exit status is 1.
    On sim the counts of packets and instructions are exact, and times are not measured.
    hexagon-sim is the simulator of the Hexagon SDK: it counts cycles of programs of [dsp.NAME].
    With --on, [BENCH] comes first.

    Results are kept in .buildtool/bench.
    """
    from buildtool.cli.devices.bench_table import show_benched
    from buildtool.measure.comparison import Against, keep

    choice = devices.choice(
        build,
        domain=checked_domain(domain),
        signed=signed,
        expect_dsp=expect_dsp,
        trace=trace.wanted,
    )
    on = devices.on
    if on == HEXAGON_SIM:
        check_with_on({"DEVICE": name})
        name = "" if device == BUILT_IN_TARGET else device
        on, device = None, HEXAGON_SIM
    if on is not None:
        from buildtool.cli.devices.on_devices import on_devices

        traced = {"--trace-file": trace.trace_file}
        alone = {"--markdown": markdown, "--write-budget": write_budget}
        check_with_on({"DEVICE": name, **alone, **traced})
        return on_devices(on, without_on(line.own), choice, build, as_json=json)
    if markdown:
        check_excluded("--markdown", {"--json": json})
    if against:
        checked_out = "a revision of this project is checked out in a directory of its own"
        check_excluded("--against", {"--against-directory": against_directory}, checked_out)
    others = Against(against, against_directory, against_target, against_build_type)
    if sweep:
        one_by_one = "Compare one cell after the other."
        check_excluded("--sweep", {"--against": any(others)}, remedy=one_by_one)
    percent = _margin(margin, write=write_budget)
    if write_budget and (any(others) or sweep or device != BUILT_IN_TARGET):
        raise UsageError(
            "--write-budget is for a bench on sim alone",
            why="limits are what one release needs, and a device counts nothing",
            remedy="Omit the device, --against and --sweep: buildtool bench sim --write-budget",
        )
    project = find_project(Path.cwd())
    name = name or _only_bench(project)
    done: Benched | Swept
    with trace.traced(project, Screen(quiet=True, verbose=build.verbose)) as listener:
        if sweep:
            from buildtool.measure.measurement import cells_of

            cells = cells_of(project.benches.get(name, Bench("")), sweep)
            done = benches.sweep(
                *(project, device, name, cells),
                repeat=repeat,
                choice=choice,
                listener=listener,
                options=build.for_engine(),
            )
        else:
            done = benches.bench(
                *(project, device, name),
                repeat=repeat,
                choice=choice,
                listener=listener,
                options=build.for_engine(),
                against=others if any(others) else None,
                margin=percent,
            )
    if write_budget and done.this.budgets and not (json or markdown):
        show(f"{len(done.this.budgets)} limits, {percent:g} % above, are in {FILE_NAME}")
    file = keep(project, done)
    show_benched(done, file, as_json=json, markdown=markdown)
    return int(not (done.ok and done.keeps_budgets))


def _margin(text: str, *, write: bool) -> float | None:
    """The margin in percent; None without --write-budget."""
    if not write:
        if text:
            raise UsageError("--margin is for --write-budget", remedy="Omit it.")
        return None
    if not re.fullmatch(r"\d{1,4}(\.\d{1,3})?", text or MARGIN, re.ASCII):
        raise UsageError(f"--margin: {text!r} is no percentage", remedy="For example: --margin 2.5")
    return float(text or MARGIN)


def _only_bench(project: Project) -> str:
    if len(project.benches) == 1:
        return next(iter(project.benches))
    raise UsageError(
        "no bench was named",
        why=f"{project.root / 'buildtool.toml'} has {', '.join(project.benches) or 'none'}",
        remedy="Name one: buildtool bench DEVICE BENCH"
        if project.benches
        else 'Add one: [bench.NAME] with program = "bin/PROGRAM". Docs: docs/bench.md',
    )
