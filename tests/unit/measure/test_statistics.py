"""Intervals, ratios and outliers, compared with published tables and with known distributions."""

from __future__ import annotations

import math
import random

import pytest

from buildtool.measure.statistics import median_interval, noise_floor, outliers, ratio_interval


# Ranks of the sign test's interval for the median with at least 95 %, as in tables of
# nonparametric statistics.
@pytest.mark.parametrize(
    ("count", "low", "high"),
    [
        (6, 1, 6),
        (8, 1, 8),
        (9, 2, 8),
        (10, 2, 9),
        (12, 3, 10),
        (15, 4, 12),
        (20, 6, 15),
        (50, 18, 33),
    ],
)
def test_the_interval_of_a_median_has_the_ranks_of_the_sign_test(
    count: int, low: int, high: int
) -> None:
    values = list(map(float, range(1, count + 1)))
    random.Random(count).shuffle(values)

    interval = median_interval(values)

    assert (interval.low, interval.high) == (low, high)
    assert interval.middle == (count + 1) / 2


@pytest.mark.parametrize("values", [[3.0], [1.0, 3.0], [3.0, 1.0, 2.0]])
def test_the_interval_of_few_values_is_their_range(values: list[float]) -> None:
    interval = median_interval(values)

    assert (interval.low, interval.high) == (min(values), max(values))


def test_intervals_have_the_median_as_often_as_they_say() -> None:
    chance = random.Random(1)
    tries = 1000
    hits = 0
    for _ in range(tries):
        interval = median_interval([chance.lognormvariate(0, 0.3) for _ in range(15)])
        hits += interval.low <= 1 <= interval.high
    assert 0.94 < hits / tries < 0.99  # the binomial distribution gives 0.965


def measured(chance: random.Random, speed: float) -> float:
    """A time with noise as on a device: a lower bound, and a long tail."""
    return speed * (1 + 0.01 * chance.expovariate(1)) * (3 if chance.random() < 0.02 else 1)


def test_the_interval_of_a_ratio_has_99_9_percent() -> None:
    ordered = [(float(number), 1.0) for number in range(1, 21)]
    interval = ratio_interval(ordered)
    assert (interval.low, interval.high) == (3, 18)  # two beyond: 2 * (1 + 20 + 190) / 2**20


def pairs(chance: random.Random, ratio: float) -> list[tuple[float, float]]:
    drift = (1 + 0.05 * math.sin(number / 5) for number in range(20))
    return [(slow * measured(chance, ratio), slow * measured(chance, 1)) for slow in drift]


def test_a_ratio_of_pairs_is_found_through_drift_and_outliers() -> None:
    chance = random.Random(2)
    for _ in range(50):
        interval = ratio_interval(pairs(chance, 1.05))
        assert 1 < interval.low < 1.05 < interval.high + 0.01


def test_equal_series_differ_by_less_than_their_noise() -> None:
    chance = random.Random(3)
    certain = 0
    for _ in range(200):
        series = pairs(chance, 1)
        interval = ratio_interval(series)
        noise = noise_floor(*map(list, zip(*series, strict=True)))
        assert noise is not None
        certain += not interval.low <= 1 <= interval.high and abs(interval.middle - 1) > noise
    assert certain == 0


def test_the_noise_of_one_value_is_unknown() -> None:
    assert noise_floor([1.0]) is None
    assert noise_floor([2.0] * 10) == 0


@pytest.mark.parametrize("count", [1074, 5000])
def test_many_values_have_an_interval(count: int) -> None:
    interval = median_interval(list(map(float, range(count))))

    assert 0.4 * count < interval.low < interval.middle < interval.high < 0.6 * count


def test_outliers_are_counted_not_dropped() -> None:
    values = [10.0, 10.1, 9.9, 10.05, 9.95, 30.0]
    assert outliers(values) == 1
    assert median_interval(values).high == 30.0
