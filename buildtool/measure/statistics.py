"""Medians with intervals, ratios of pairs, the noise of equal runs, outliers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

from buildtool.core.value import Value

MEDIAN_CONFIDENCE = 0.95
RATIO_CONFIDENCE = 0.999
"""Of the interval of a ratio: one in a thousand comparisons of equal releases may find a
difference."""
OUTLIER_DEVIATIONS = 5.0
NORMAL_DEVIATION = 1.4826
"""The standard deviation of a normal distribution, in median absolute deviations."""


class Interval(Value):
    """An estimate, `middle`, and the ends of its interval."""

    middle: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """The larger distance of an end from the middle, as a share of the middle."""
        return max(self.high - self.middle, self.middle - self.low) / self.middle


def median_interval(values: Sequence[float], confidence: float = MEDIAN_CONFIDENCE) -> Interval:
    """The median of `values`, and the interval that has the median of their distribution with at
    least this probability, whatever the distribution is.

    The ends are values, with the ranks of the sign test: that k or fewer of n values are below the
    median has the probability of k or fewer heads in n throws of a coin.  Of few values it is the
    range (of fewer than 6 for 95 %, of fewer than 11 for 99.9 %).
    """
    ordered = sorted(values)
    count = len(ordered)
    beyond, ways = 0, 1  # of 2**count
    # `ways` is a sum of binomial coefficients: the ends move inwards as long as the throws beyond
    # both of them are as rare as they have to be, so the last step is one too far.
    while beyond < (count - 1) // 2 and 2 * ways / 2**count <= 1 - confidence:
        beyond += 1
        ways += math.comb(count, beyond)
    dropped = max(beyond - 1, 0)
    return Interval(median(ordered), ordered[dropped], ordered[count - 1 - dropped])


def ratio_interval(pairs: Iterable[tuple[float, float]]) -> Interval:
    """The median of the ratios first / second of `pairs`, with the interval of 99.9 %."""
    return median_interval([first / second for first, second in pairs], RATIO_CONFIDENCE)


def noise_floor(*series: Sequence[float]) -> float | None:
    """How far from 1 the ratio of equal releases may seem to be, as a share; None if that is
    unknown.  Neighbours within each of `series` are runs of the same release, and the interval of
    their ratio says it."""
    pairs = [pair for values in series for pair in zip(values[::2], values[1::2], strict=False)]
    if not pairs:
        return None
    interval = ratio_interval(pairs)
    return max(1 - interval.low, interval.high - 1)


def outliers(values: Sequence[float]) -> int:
    """The number of `values` that are far from their median: beyond 5 standard deviations, which
    are estimated from the median absolute deviation."""
    middle = median(values)
    deviation = NORMAL_DEVIATION * median(abs(value - middle) for value in values)
    return sum(abs(value - middle) > OUTLIER_DEVIATIONS * deviation for value in values)
