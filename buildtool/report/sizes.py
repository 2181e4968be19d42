"""The section of sizes: slices and sections of releases, and what has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.history import RELEASES
from buildtool.core.value import Value
from buildtool.report.blocks import (
    Block,
    Cell,
    Folded,
    Plot,
    Plots,
    Point,
    Section,
    Table,
    Text,
    amount_of,
    moment,
    object_of,
    percent,
    records,
    rows_of,
    size,
    text_of,
    time_of,
)

SHORT = 90
MAX_SECTIONS = 200
MAX_TARGETS = 12
NOTABLE = 1.0
"""The change in percent from which a size is marked."""


class SizedSlice(Value):
    """A slice: the bytes of its files, and those in memory of the sections of its ELF files."""

    name: str
    files: int
    size: float
    sections: Mapping[str, float]


class SizedRelease(Value):
    """A release that was made; `revision` is that of the sources, "" if it is unknown."""

    started: float
    target: str
    build_type: str
    release: str
    revision: str
    slices: tuple[SizedSlice, ...]

    @property
    def subject(self) -> str:
        """What is compared with earlier releases of the same."""
        usual = self.build_type in ("", "Release")
        return self.target if usual else f"{self.target} ({self.build_type})"

    @property
    def label(self) -> str:
        return f"{moment(self.started)}, {self.revision or self.release[:12]}"


def read_releases(state: Path) -> tuple[list[SizedRelease], tuple[Text, ...]]:
    """The releases, the oldest first, and what could not be read."""
    return records(state, RELEASES, _release)


def _release(line: Mapping[str, Any]) -> SizedRelease:
    revision = text_of(line, "revision", SHORT)[:12] if line["revision"] else ""
    return SizedRelease(
        started=time_of(line, "started"),
        target=text_of(line, "target", SHORT),
        build_type=text_of(line, "build_type", SHORT),
        release=text_of(line, "release", SHORT),
        revision=f"{revision}{'+' if line['dirty'] and revision else ''}",
        slices=tuple(map(_slice, rows_of(line, "slices"))),
    )


def _slice(row: Mapping[str, Any]) -> SizedSlice:
    found = object_of(row, "sections")
    names = [*found][:MAX_SECTIONS]
    return SizedSlice(
        name=text_of(row, "name", SHORT),
        files=int(amount_of(row, "files")),
        size=amount_of(row, "size"),
        sections={text_of({"": name}, "", SHORT): amount_of(found, name) for name in names},
    )


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
    change = f", {_change(total - sum(s.size for s in before.slices))}" if before else ""
    return Section("sizes", "Sizes", f"{newest.subject}: {size(total)}{change}", "", tuple(blocks))


def _subject(releases: Sequence[SizedRelease]) -> list[Block]:
    now, before = releases[-1], releases[-2] if len(releases) > 1 else None
    old = {part.name: part for part in before.slices} if before else {}
    rows, sections = [], []
    for part in now.slices:
        other = old.get(part.name)
        cells = _cells(part.size, other.size if other else None)
        rows.append((Cell(part.name), Cell(str(part.files), number=part.files), *cells))
        was = other.sections if other else {}
        for name in dict.fromkeys([*part.sections, *was]):
            bytes_then = was.get(name, 0.0) if other else None
            now_and_then = _cells(part.sections.get(name, 0.0), bytes_then)
            sections.append((Cell(f"{part.name} {name}"), *now_and_then))
    for name in old.keys() - {part.name for part in now.slices}:
        rows.append((Cell(name), Cell("0", number=0), *_cells(0.0, old[name].size)))
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
        plots = (_plot(releases, part.name) for part in now.slices)
        blocks.append(Plots(tuple(plots)))
    every = Table(f"All sections of {now.subject}", names, tuple(sections), shown=400)
    return [*blocks, Folded(f"All sections of {now.subject}", (every,))]


def _cells(now: float, before: float | None) -> tuple[Cell, Cell, Cell]:
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
        Cell(_change(change), state, change, f"{change:+,.0f} B"),
        Cell(percent(share), state, share),
    )


def _change(change: float) -> str:
    return f"{'+' if change > 0 else '−' if change < 0 else '±'}{size(abs(change))}"


def _plot(releases: Sequence[SizedRelease], name: str) -> Plot:
    points = []
    for release in releases:
        for part in release.slices:
            if part.name == name:
                hover = f"{release.label}: {part.size:,.0f} B"
                kib = part.size / 1024
                points.append(Point(release.label, kib, kib, kib, hover=hover))
    return Plot(f"{releases[-1].subject}: size of {name}", "KiB", tuple(points))
