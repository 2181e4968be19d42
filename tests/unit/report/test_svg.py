"""Plots of any numbers have an axis of a few round numbers."""

from __future__ import annotations

import re

import pytest

from buildtool.report.blocks import Plot, Point
from buildtool.report.report import plot_svg


@pytest.mark.parametrize("bars", [True, False])
@pytest.mark.parametrize("values", [(0, 0), (0, 5e-324), (1e18, 1e18), (3, 98), (1e-9, 2e-9)])
def test_axes(values: tuple[float, float], bars: bool) -> None:
    points = tuple(Point("", value, value, value) for value in values)

    svg = plot_svg(Plot("", "", points, bars=bars))

    assert 2 <= len(re.findall("<text ", svg)) <= 7
    assert "nan" not in svg
    heights = [float(y) for y in re.findall(r' (?:y|y1|cy)="([^"]+)"', svg)]
    assert all(0 <= y <= 170 for y in heights)
