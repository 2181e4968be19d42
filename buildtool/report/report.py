"""Puts the sections of a report together, and writes them as one HTML file, which loads nothing:
styles, script and plots are inside.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import math
import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from buildtool.core.files import filled
from buildtool.core.history import BUILDS, RELEASES, RUNS, TESTS
from buildtool.core.value import Value
from buildtool.project.model import Project
from buildtool.report import benches, builds, tests
from buildtool.report.benches import profiles_section
from buildtool.report.blocks import (
    Bar,
    Block,
    Cell,
    Finding,
    Folded,
    Links,
    Plot,
    Plots,
    Point,
    Section,
    Strip,
    Table,
    Text,
    moment,
    number,
    reader,
    records,
)

HERE = Path(__file__).parent
MARKS = {"good": "✓", "bad": "✗", "warn": "!"}
HEIGHT = 150
MARGIN = 10
"""Above and below the plot, for half a line of text."""
TICKS = 4
AXIS = 56
SQUARE, GAP = 8, 2


class Report(Value):
    """The report of `project`, made at `made` in seconds since the epoch."""

    project: str
    made: float
    sections: tuple[Section, ...]


def make_report(project: Project, made: float) -> Report:
    """The report of all that is recorded of `project`, and the cards of this user's devices."""
    state = project.state
    built, build_problems = records(state, BUILDS, reader(builds.Build))
    released, release_problems = records(state, RELEASES, reader(builds.SizedRelease))
    tested, test_problems = records(state, TESTS, reader(tests.TestedRun))
    failed_runs, run_problems = records(state, RUNS, reader(tests.FailedRun))
    failures = [*builds.failures_of(built), *tests.failures_of(tested)]
    failures += [run.failure for run in failed_runs]
    revisions = {each.release: each.commit for each in reversed(released)}
    sections = (
        builds.builds_section(built, build_problems),
        tests.tests_section(tested, test_problems),
        tests.failures_section(failures, run_problems),
        builds.sizes_section(released, release_problems),
        benches.benches_section(*benches.read_benches(state), revisions),
        benches.devices_section(*benches.read_cards()),
        profiles_section(state),
    )
    return Report(project.name, made, sections)


def html_page(report: Report, folder: Path) -> str:
    """The page of `report`, for a file in `folder`, to which its links are relative."""
    script = (HERE / "report.js").read_text(encoding="utf-8")
    digest = hashlib.sha256(script.encode()).digest()
    return filled(
        HERE / "report.html.in",
        DIGEST=base64.b64encode(digest).decode(),
        TITLE=escape(f"{report.project}: report"),
        PROJECT=escape(report.project),
        MADE=escape(moment(report.made)),
        STYLE=(HERE / "report.css").read_text(encoding="utf-8"),
        FACTS="".join(map(_fact, report.sections)),
        SECTIONS="\n".join(_section(each, folder) for each in report.sections),
        SCRIPT=script,
    )


def _fact(section: Section) -> str:
    return (
        f'<li><a href="#{section.name}"><span>{escape(section.title)}</span>'
        f"<strong>{_marked(section.fact, section.state)}</strong></a></li>"
    )


def _section(section: Section, folder: Path) -> str:
    name = section.name
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">'
        f"{escape(section.title)}</h2>\n{_blocks(section.blocks, folder)}</section>"
    )


def _blocks(blocks: Iterable[Block], folder: Path) -> str:
    parts = []
    for is_finding, group in itertools.groupby(blocks, lambda block: isinstance(block, Finding)):
        text = "\n".join(_block(block, folder) for block in group)
        parts.append(f'<div class="findings">{text}</div>' if is_finding else text)
    return "\n".join(parts)


def _block(block: Block, folder: Path) -> str:
    match block:
        case Table():
            return _table(block)
        case Plots(plots):
            return f'<div class="plots">{"".join(map(_plot, plots))}</div>' if plots else ""
        case Text(text, state, code):
            command = f" <code>{escape(code)}</code>" if code else ""
            return f"<p>{_marked(text, state)}{command}</p>"
        case Finding(title, when, lines):
            rows = "".join(f"<dt>{escape(k)}</dt>{_known(text)}" for k, text in lines)
            known = f"<dl>{rows}</dl>" if rows else ""
            return (
                f'<article class="finding"><h3>{_marked(title, "bad")}</h3>'
                f"<p>{escape(when)}</p>{known}</article>"
            )
        case Links(links):
            rows = "".join(f"<li>{_link(text, path, folder)}</li>" for text, path in links)
            return f"<ul>{rows}</ul>"
        case Folded(title, inner):
            return _folded(title, _blocks(inner, folder))


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{escape(title)}</summary>\n{inner}</details>"


def _known(text: str) -> str:
    """What is known of a failure; the lines of a compiler are aligned."""
    kind = ' class="output"' if "\n" in text else ""
    return f"<dd{kind}>{escape(text)}</dd>"


def _link(text: str, path: str, folder: Path) -> str:
    return f'<a href="{escape(quote(os.path.relpath(path, folder)))}">{escape(text)}</a>'


def _plot(plot: Plot) -> str:
    first, last = plot.points[0].label, plot.points[-1].label
    ends = f"<span>{escape(first)}</span>" + (f"<span>{escape(last)}</span>" if last else "")
    return (
        f"<figure><figcaption>{escape(plot.title)} <small>in {escape(plot.unit)}</small>"
        f'</figcaption><div class="plot">{plot_svg(plot)}</div><div class="ends">{ends}</div>'
        "</figure>"
    )


def _table(table: Table) -> str:
    shown = _rows(table, table.caption, table.rows[: table.shown])
    rest = table.rows[table.shown :]
    if not rest:
        return shown
    title = f"{table.caption}: {len(rest):,} more"
    return shown + _folded(title, _rows(table, title, rest))


def _rows(table: Table, caption: str, rows: Iterable[tuple[Cell, ...]]) -> str:
    heads = "".join(
        f'<th scope="col">{escape(column)}</th>' if column else "<td></td>"
        for column in table.columns
    )
    body = "".join(f"<tr>{_row(row)}</tr>\n" for row in rows)
    kind = ' class="sortable"' if table.sortable else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table{kind}><caption><span>{escape(caption)}</span></caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table></div>"
    )


def _row(row: tuple[Cell, ...]) -> str:
    first, *others = row
    return f'<th scope="row">{escape(first.text)}</th>' + "".join(map(_cell, others))


def _cell(cell: Cell) -> str:
    number = "" if cell.number is None else f' data-n="{cell.number:.6g}"'
    hover = cell.hover if cell.hover not in ("", cell.text) and not cell.graphic else ""
    title = f' title="{escape(hover)}"' if hover else ""
    inner = cell_svg(cell.graphic, cell.hover) if cell.graphic else _marked(cell.text, cell.state)
    return f"<td{number}{title}>{inner}</td>"


def _marked(text: str, state: str) -> str:
    if not state or not text:
        return escape(text)
    return f'<span class="{state}">{MARKS[state]} {escape(text)}</span>'


def plot_svg(plot: Plot) -> str:
    """The axis and the area of `plot`, side by side."""
    ticks = _ticks(plot)
    low, high = ticks[0], ticks[-1]

    def y(value: float) -> float:
        return round(MARGIN + (high - value) / (high - low) * HEIGHT, 1)

    whole = HEIGHT + 2 * MARGIN
    labels = "".join(
        f'<text x="{AXIS - 6}" y="{y(tick)}" dy=".32em">{escape(number(tick))}</text>'
        for tick in ticks
    )
    grid = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{y(tick)}" y2="{y(tick)}"/>' for tick in ticks
    )
    xs = [round((index + 0.5) / len(plot.points) * 100, 2) for index in range(len(plot.points))]
    ys = [y(point.value) for point in plot.points]
    marks = _bars(plot.points, xs, ys, y(low)) if plot.bars else _intervals(plot.points, xs, ys, y)
    last = plot.points[-1]
    label = f"{plot.title}: {len(plot.points)} values, the last is {last.hover}"
    return (
        f'<svg class="axis" width="{AXIS}" height="{whole}" aria-hidden="true">{labels}</svg>'
        f'<svg class="area" height="{whole}" role="img" aria-label="{escape(label)}">'
        f"{grid}{marks}</svg>"
    )


def _ticks(plot: Plot) -> list[float]:
    """Round numbers from below the lowest value, which is 0 for bars, to above the highest one."""
    low = 0.0 if plot.bars else min(min(each.low, each.value) for each in plot.points)
    high = max(max(each.high, each.value) for each in plot.points)
    largest = max(abs(low), abs(high))
    if high - low <= largest * 1e-9 + 1e-300:
        spread = largest * 0.05 or 1.0
        low, high = low if plot.bars else low - spread, high + spread
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step - 1e-9)
    return [index * step for index in range(first, last + 1)]


def _bars(points: Sequence[Point], xs: Sequence[float], ys: Sequence[float], zero: float) -> str:
    width = round(min(80 / len(points), 4), 2)
    return "".join(
        f'<rect class="{point.state or "plain"}" x="{x - width / 2:.2f}%" width="{width}%"'
        f' y="{y}" height="{max(1, zero - y):.1f}"><title>{escape(point.hover)}</title></rect>'
        for point, x, y in zip(points, xs, ys, strict=True)
    )


def _intervals(points: Sequence[Point], xs: Sequence[float], ys: Sequence[float], y: object) -> str:
    assert callable(y)
    lines = "".join(
        f'<line class="line" x1="{xs[at]}%" y1="{ys[at]}" x2="{xs[at + 1]}%" y2="{ys[at + 1]}"/>'
        for at in range(len(points) - 1)
    )
    marks = "".join(
        f'<g><title>{escape(point.hover)}</title><line class="interval" x1="{x}%" x2="{x}%"'
        f' y1="{y(point.high)}" y2="{y(point.low)}"/><circle cx="{x}%" cy="{middle}" r="3.5"/></g>'
        for point, x, middle in zip(points, xs, ys, strict=True)
    )
    return lines + marks


def cell_svg(graphic: Bar | Strip, text: str) -> str:
    """The picture in a cell, which `text` describes."""
    if isinstance(graphic, Bar):
        begin = min(max(graphic.begin, 0.0), 1.0) * 100
        width = max(min(max(graphic.end, 0.0), 1.0) * 100 - begin, 0.5)
        return (
            f'<svg class="timeline" height="14" role="img" aria-label="{escape(text)}">'
            f"<title>{escape(text)}</title>"
            f'<rect class="{graphic.state or "plain"}" x="{begin:.1f}%" width="{width:.1f}%"'
            f' height="14" rx="2"/></svg>'
        )
    width = len(graphic.squares) * (SQUARE + GAP)
    count = sum(state == "bad" for state, _ in graphic.squares)
    squares = "".join(
        f'<rect class="{state or "plain"}" x="{at * (SQUARE + GAP)}" width="{SQUARE}"'
        f' y="{0 if state == "bad" else 4}" height="{14 if state == "bad" else 6}">'
        f"<title>{escape(hover)}</title></rect>"
        for at, (state, hover) in enumerate(graphic.squares)
    )
    label = f"{count} of the last {len(graphic.squares)} failed"
    return f'<svg width="{width}" height="14" role="img" aria-label="{label}">{squares}</svg>'
