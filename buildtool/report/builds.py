"""The sections of what was made: builds, why and when each step ran; sizes of releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    Text,
    Time,
    duration,
    moment,
    percent,
    plural,
    size,
)
from buildtool.report.blocks import Finding as Failure
from buildtool.report.blocks import Text as Line

INTERRUPTED = "interrupted"
STATES = {
    **{"built": "good", "restored": "good", "failed": "bad", "skipped": "warn"},
    INTERRUPTED: "warn",
}
UNFOLDED = 10
"""Builds whose timelines are in the report."""
SHORT = 90
MAX_TARGETS = 12
NOTABLE = 1.0
"""The change in percent from which a size is marked."""


class BuiltStep(Value):
    """A step that was not up to date; times are in seconds since the begin of the build."""

    name: str
    outcome: str
    origin: str
    begun: float
    seconds: float
    reasons: tuple[str, ...]
    more_reasons: int
    error: Mapping[str, str] | None = None


class Build(Value):
    """A build in which steps were not up to date."""

    started: Time
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
    def result(self) -> tuple[str, str]:
        """How it ended, and the state of that."""
        if any(step.outcome == INTERRUPTED for step in self.steps):
            return INTERRUPTED, "warn"
        return ("succeeded", "good") if self.ok else ("failed", "bad")

    @property
    def why(self) -> str:
        """The first reason that is about a step itself."""
        return next((reason for step in self.steps for reason in step.reasons), "")


def builds_section(builds: Sequence[Build], problems: Sequence[Line]) -> Section:
    """The section of `builds`, the oldest first."""
    if not builds:
        none = Line("No build is recorded.", code="buildtool build")
        return Section("builds", "Builds", "no build", "", (*problems, none))
    last = builds[-1]
    outcome, state = last.result
    blocks: list[Block] = [*problems]
    blocks.append(_timeline(last, f"Steps of the last build, {moment(last.started)}"))
    blocks.append(Plots((_durations(builds),)))
    blocks.append(_builds_table(builds))
    earlier = [
        _timeline(build, f"Steps of the build of {moment(build.started)} · {number}")
        for number, build in enumerate(reversed(builds[-UNFOLDED:-1]), 2)
    ]
    if earlier:
        blocks.append(Folded(f"Steps of {plural(len(earlier), 'earlier build')}", tuple(earlier)))
    fact = f"last of {last.target} {outcome} in {duration(last.seconds)}"
    return Section("builds", "Builds", fact, state, tuple(blocks))


def failures_of(builds: Sequence[Build]) -> list[tuple[float, Failure]]:
    """The failed steps of builds, each with its time."""
    return [
        (
            build.started,
            Failure(
                f"build {build.target}: {step.name} failed",
                moment(build.started),
                tuple(line for line in step.error.items() if line[1]),
            ),
        )
        for build in builds
        for step in build.steps
        if step.error
    ]


def _durations(builds: Sequence[Build]) -> Plot:
    points = tuple(
        Point(
            moment(build.started),
            *(build.seconds, build.seconds, build.seconds),
            state=build.result[1],
            hover=f"{moment(build.started)}, {build.target}: {duration(build.seconds)},"
            f" {build.what}",
        )
        for build in builds
    )
    return Plot("Duration of each build", "s", points, bars=True)


def _builds_table(builds: Sequence[Build]) -> Table:
    rows = tuple(
        (
            Cell(moment(build.started), number=build.started),
            Cell(build.target),
            Cell(*build.result),
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
        reasons = "; ".join(step.reasons) + (
            f"; and {step.more_reasons} more" if step.more_reasons else ""
        )
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


class SizedSlice(Value):
    """A slice: the bytes of its files, and those in memory of the sections of its ELF files."""

    name: str
    files: int
    size: float
    sections: Mapping[str, float]


class SizedRelease(Value):
    """A release that was made; `revision` is that of the sources, None if it is unknown, and they
    are `dirty` if they differ from it."""

    started: Time
    target: str
    build_type: str
    release: str
    revision: str | None
    dirty: bool
    slices: tuple[SizedSlice, ...]

    @property
    def subject(self) -> str:
        """What is compared with earlier releases of the same."""
        usual = self.build_type in ("", "Release")
        return self.target if usual else f"{self.target} ({self.build_type})"

    @property
    def commit(self) -> str:
        """The revision for people; "" if it is unknown."""
        return f"{self.revision[:12]}{'+' if self.dirty else ''}" if self.revision else ""

    @property
    def label(self) -> str:
        return f"{moment(self.started)}, {self.commit or self.release[:12]}"


def sizes_section(releases: Sequence[SizedRelease], problems: Sequence[Text]) -> Section:
    """The section of `releases`, the oldest first."""
    if not releases:
        none = Text("No release is recorded.", code="buildtool build")
        return Section("sizes", "Sizes", "no release", "", (*problems, none))
    subjects = [*dict.fromkeys(each.subject for each in reversed(releases))]
    blocks: list[Block] = [*problems]
    for subject in subjects[:MAX_TARGETS]:
        blocks += _subject([each for each in releases if each.subject == subject])
    if len(subjects) > MAX_TARGETS:
        blocks.append(Text(f"{len(subjects) - MAX_TARGETS} other targets are left out.", "warn"))
    newest = releases[-1]
    total = sum(part.size for part in newest.slices)
    before = next((each for each in releases[-2::-1] if each.subject == newest.subject), None)
    change = f", {_size_change(total - sum(s.size for s in before.slices))}" if before else ""
    return Section("sizes", "Sizes", f"{newest.subject}: {size(total)}{change}", "", tuple(blocks))


def _subject(releases: Sequence[SizedRelease]) -> list[Block]:
    now, before = releases[-1], releases[-2] if len(releases) > 1 else None
    old = {part.name: part for part in before.slices} if before else {}
    rows, sections = [], []
    for part in now.slices:
        other = old.get(part.name)
        cells = _size_cells(part.size, other.size if other else None)
        rows.append((Cell(part.name), Cell(str(part.files), number=part.files), *cells))
        was = other.sections if other else {}
        for name in dict.fromkeys([*part.sections, *was]):
            bytes_then = was.get(name, 0.0) if other else None
            now_and_then = _size_cells(part.sections.get(name, 0.0), bytes_then)
            sections.append((Cell(f"{part.name} {name}"), *now_and_then))
    for name in old.keys() - {part.name for part in now.slices}:
        rows.append((Cell(name), Cell("0", number=0), *_size_cells(0.0, old[name].size)))
    since = f", compared with {before.label}" if before else ""
    title = f"Slices of {now.subject}, {now.label}{since}"
    columns = ("files", "size", "change", "change in %")
    changed = [row for row in sections if row[2].number]
    changed.sort(key=lambda row: -abs(row[2].number or 0))
    blocks: list[Block] = [Table(title, ("slice", *columns), tuple(rows))]
    names = ("section", *columns[1:])
    if changed:
        caption = f"Sections of {now.subject} that have changed, in bytes of memory"
        blocks.append(Table(caption, names, tuple(changed)))
    if before:
        plots = (_sizes_plot(releases, part.name) for part in now.slices)
        blocks.append(Plots(tuple(plots)))
    every = Table(f"All sections of {now.subject}", names, tuple(sections), shown=400)
    return [*blocks, Folded(f"All sections of {now.subject}", (every,))]


def _size_cells(now: float, before: float | None) -> tuple[Cell, Cell, Cell]:
    first = Cell(size(now), number=now, hover=f"{now:,.0f} B")
    if before is None:
        return first, Cell("new", number=0.0), Cell("")
    change = now - before
    if not change:
        return first, Cell("0", number=0.0), Cell("0", number=0.0)
    share = change / before * 100 if before else 100.0
    state = "" if abs(share) < NOTABLE else "warn" if change > 0 else "good"
    return (
        first,
        Cell(_size_change(change), state, change, f"{change:+,.0f} B"),
        Cell(percent(share), state, share),
    )


def _size_change(change: float) -> str:
    return f"{'+' if change > 0 else '−' if change < 0 else '±'}{size(abs(change))}"


def _sizes_plot(releases: Sequence[SizedRelease], name: str) -> Plot:
    points = []
    for release in releases:
        for part in release.slices:
            if part.name == name:
                hover = f"{release.label}: {part.size:,.0f} B"
                kib = part.size / 1024
                points.append(Point(release.label, kib, kib, kib, hover=hover))
    return Plot(f"{releases[-1].subject}: size of {name}", "KiB", tuple(points))
