"""Plots as SVG: x in percent of the width, so that text keeps its size on any screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from buildtool.report.blocks import Bar, Plot, Point, Strip
from buildtool.report.records import number

HEIGHT = 150
MARGIN = 10
"""Above and below the plot, for half a line of text."""
TICKS = 4
AXIS = 56
SQUARE, GAP = 8, 2


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
