"""The clocks of a device's processors, and how warm it is."""

from __future__ import annotations

import re

from buildtool.core.value import Value

MAX_KHZ, MAX_MILLIDEGREES = 100_000_000, 1_000_000


class Clocks(Value):
    """The clock of each cluster of processors in kHz, and the highest temperature in 0.001 °C, 0 if
    it is unknown."""

    clusters: tuple[int, ...]
    temperature: int


def parse_clocks(text: str) -> Clocks:
    """The clocks in what clocks.sh prints, in which anything may be missing."""
    clocks = map(int, re.findall(r"^clock (\d{1,9})$", text, re.ASCII | re.MULTILINE))
    heat = map(int, re.findall(r"^temperature (\d{1,9})$", text, re.ASCII | re.MULTILINE))
    return Clocks(
        tuple(clock for clock in clocks if clock <= MAX_KHZ),
        max((degrees for degrees in heat if degrees <= MAX_MILLIDEGREES), default=0),
    )
