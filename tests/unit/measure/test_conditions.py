"""The speed of a device, as its shells print it."""

from __future__ import annotations

import pytest

from buildtool.measure.sample import Conditions, parse_conditions, same_speed, speed_change


@pytest.mark.parametrize(
    "times",
    [
        "0m0.120000s 0m0.000000s",  # dash
        "0m0.120s 0m0.000s",  # bash
        "0m00.12s 0m00.00s",  # mksh of Android
    ],
)
def test_the_time_of_the_loop_is_that_of_the_shell(times: str) -> None:
    found = parse_conditions(f"{times}\n0m9.000000s 0m9.000000s\n")
    assert found == Conditions(0.12, (), 0)


def test_each_clock_and_the_highest_temperature_count() -> None:
    text = "clock 1804800\nclock 2400000\ntemperature 41000\ntemperature -40000\n"
    assert parse_conditions(text) == Conditions(0, (1_804_800, 2_400_000), 41_000)


@pytest.mark.parametrize(
    "text", ["", "clock x\n", f"clock {'9' * 400}\ntemperature 999999999\n", "0m1.s\n"]
)
def test_anything_may_be_missing_or_wrong(text: str) -> None:
    assert parse_conditions(text) == Conditions(0, (), 0)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Conditions(0.24, (1_800_000,), 50_000), True),
        (Conditions(0.26, (1_800_000,), 0), False),
        (Conditions(0.03, (1_800_000,), 0), False),
        (Conditions(0.10, (900_000,), 0), False),
        (Conditions(0, (), 0), True),
        (Conditions(0.10, (1_800_000, 2_400_000), 0), True),
    ],
)
def test_speeds_that_can_be_compared(other: Conditions, same: bool) -> None:
    usual = Conditions(0.10, (1_800_000,), 0)
    assert same_speed(usual, other) is same
    assert same_speed(other, usual) is same


def test_each_cluster_counts() -> None:
    usual = Conditions(0.1, (1_800_000, 2_400_000), 0)
    assert not same_speed(usual, usual._replace(clocks_khz=(600_000, 2_400_000)))


def test_a_change_is_said_in_words() -> None:
    usual = Conditions(0.10, (1_800_000,), 0)
    slow = speed_change(usual, usual._replace(clocks_khz=(900_000,)))
    assert slow == "a clock is 900 MHz instead of 1,800"
    hidden = speed_change(usual, usual._replace(loop_seconds=0.3))
    assert hidden == "a loop takes 0.30 s of processor time instead of 0.10"
