"""The section of builds: what was built, why, and when each step ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.history import BUILDS
from buildtool.core.value import Value
from buildtool.report.blocks import (
    Bar,
    Block,
    Cell,
    Folded,
    Plot,
    Plots,
    Point,
    Section,
    Table,
    amount_of,
    duration,
    moment,
    object_of,
    plural,
    records,
    rows_of,
    text_of,
    time_of,
)
from buildtool.report.blocks import Finding as Failure
from buildtool.report.blocks import Text as Line

STATES = {"built": "good", "restored": "good", "failed": "bad", "skipped": "warn"}
UNFOLDED = 10
"""Builds whose timelines are in the report."""
SHORT = 90


class BuiltStep(Value):
    """A step that was not up to date; times are in seconds since the begin of the build."""

    name: str
    outcome: str
    origin: str
    begun: float
    seconds: float
    reasons: tuple[str, ...]
    more: int
    error: tuple[tuple[str, str], ...]


class Build(Value):
    """A build in which steps were not up to date."""

    started: float
    seconds: float
    target: str
    ok: bool
    up_to_date: int
    steps: tuple[BuiltStep, ...]

    @property
    def what(self) -> str:
        """How many steps ended how."""
        words = [step.outcome for step in self.steps]
        counts = [f"{words.count(word)} {word}" for word in dict.fromkeys(words)]
        return ", ".join([*counts, *([f"{self.up_to_date} up to date"] if self.up_to_date else [])])

    @property
    def why(self) -> str:
        """The first reason that is about a step itself."""
        return next((reason for step in self.steps for reason in step.reasons), "")


def read_builds(state: Path) -> tuple[list[Build], tuple[Line, ...]]:
    """The builds, the oldest first, and what could not be read."""
    return records(state, BUILDS, _build)


def _build(line: Mapping[str, Any]) -> Build:
    return Build(
        started=time_of(line, "started"),
        seconds=amount_of(line, "seconds"),
        target=text_of(line, "target", SHORT),
        ok=line["ok"] is True,
        up_to_date=int(amount_of(line, "up_to_date")),
        steps=tuple(map(_step, rows_of(line, "steps"))),
    )


def _step(row: Mapping[str, Any]) -> BuiltStep:
    error, reasons = object_of(row, "error"), row["reasons"]
    if not isinstance(reasons, list):
        raise ValueError("reasons are a list")
    return BuiltStep(
        name=text_of(row, "name", SHORT),
        outcome=text_of(row, "outcome", SHORT),
        origin=text_of(row, "origin", SHORT),
        begun=amount_of(row, "begun"),
        seconds=amount_of(row, "seconds"),
        reasons=tuple(text_of({"": each}, "", 300) for each in reasons[:5]),
        more=int(amount_of(row, "more_reasons")),
        error=tuple((key, text_of(error, key)) for key in ("message", "why", "remedy") if error),
    )


def builds_section(builds: Sequence[Build], problems: Sequence[Line]) -> Section:
    """The section of `builds`, the oldest first."""
    if not builds:
        none = Line("No build is recorded.", code="buildtool build")
        return Section("builds", "Builds", "no build", "", (*problems, none))
    last = builds[-1]
    outcome = "succeeded" if last.ok else "failed"
    blocks: list[Block] = [*problems]
    blocks.append(_timeline(last, f"Steps of the last build, {moment(last.started)}"))
    blocks.append(Plots((_plot(builds),)))
    blocks.append(_table(builds))
    earlier = [
        _timeline(build, f"Steps of the build of {moment(build.started)} · {number}")
        for number, build in enumerate(reversed(builds[-UNFOLDED:-1]), 2)
    ]
    if earlier:
        blocks.append(Folded(f"Steps of {plural(len(earlier), 'earlier build')}", tuple(earlier)))
    fact = f"last of {last.target} {outcome} in {duration(last.seconds)}"
    return Section("builds", "Builds", fact, "good" if last.ok else "bad", tuple(blocks))


def failures_of(builds: Sequence[Build]) -> list[tuple[float, Failure]]:
    """The failed steps of builds, each with its time."""
    return [
        (
            build.started,
            Failure(
                f"build {build.target}: {step.name} failed",
                moment(build.started),
                tuple(line for line in step.error if line[1]),
            ),
        )
        for build in builds
        for step in build.steps
        if step.error
    ]


def _plot(builds: Sequence[Build]) -> Plot:
    points = tuple(
        Point(
            moment(build.started),
            *(build.seconds, build.seconds, build.seconds),
            state="good" if build.ok else "bad",
            hover=f"{moment(build.started)}, {build.target}: {duration(build.seconds)},"
            f" {build.what}",
        )
        for build in builds
    )
    return Plot("Duration of each build", "s", points, bars=True)


def _table(builds: Sequence[Build]) -> Table:
    rows = tuple(
        (
            Cell(moment(build.started), number=build.started),
            Cell(build.target),
            Cell("succeeded" if build.ok else "failed", "good" if build.ok else "bad"),
            Cell(duration(build.seconds), number=build.seconds),
            Cell(build.what),
            Cell(_short(build.why), hover=build.why),
        )
        for build in reversed(builds)
    )
    columns = ("began", "target", "result", "time", "steps", "first reason")
    return Table("Builds, newest first", columns, rows, shown=12, brief=5)


def _timeline(build: Build, caption: str) -> Table:
    whole = max([build.seconds, *(step.begun + step.seconds for step in build.steps)]) or 1.0
    rows = []
    for step in build.steps:
        reasons = "; ".join(step.reasons) + (f"; and {step.more} more" if step.more else "")
        state = STATES.get(step.outcome, "")
        begin, end = step.begun / whole, (step.begun + step.seconds) / whole
        hover = f"{step.name}: from {duration(step.begun)}, for {duration(step.seconds)}"
        rows.append(
            (
                Cell(step.name),
                Cell(f"{step.outcome} {step.origin and f'({step.origin} cache)'}".strip(), state),
                Cell("", number=step.begun, hover=hover, graphic=Bar(begin, end, state)),
                Cell(duration(step.seconds), number=step.seconds),
                Cell(_short(reasons), hover=reasons),
            )
        )
    columns = ("step", "outcome", f"timeline, 0 to {duration(whole)}", "time", "why")
    return Table(caption, columns, tuple(rows), brief=8)


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"
