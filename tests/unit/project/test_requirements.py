"""`requires` of a target."""

from __future__ import annotations

import pytest

from buildtool.project.runs import Requirement, parse_requirement


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("hvx-float", Requirement("hvx-float")),
        ("arch >= v73", Requirement("arch", ">=", 73)),
        ("vtcm>=2 MiB", Requirement("vtcm", ">=", 2)),
        ("latency <= 99.5 us", Requirement("latency", "<=", 99.5)),
        ("hmx", Requirement("hmx")),
        ("hvx-units >= 4", Requirement("hvx-units", ">=", 4)),
    ],
)
def test_a_requirement(text: str, requirement: Requirement) -> None:
    assert parse_requirement(text) == requirement


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is neither NAME nor NAME >= NUMBER UNIT"),
        ("vtcm > 2 MiB", "is neither NAME nor NAME >= NUMBER UNIT"),
        ("vtcm >= two MiB", "is neither NAME nor NAME >= NUMBER UNIT"),
        ("hvx", "there is no capability 'hvx': arch, hvx-units,"),
        ("dspqueue >= 1", "dspqueue has no number"),
        ("vtcm >= 2 GiB", "the unit of vtcm is MiB"),
        ("vtcm >= v2 MiB", "the unit of vtcm is MiB"),
        ("arch >= 73 MiB", "the unit of arch is none"),
    ],
)
def test_what_is_none(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_requirement(text)


@pytest.mark.parametrize(
    ("text", "value", "met"),
    [
        ("vtcm >= 2 MiB", 2, True),
        ("vtcm >= 2 MiB", 1.9, False),
        ("latency <= 50 us", 50, True),
        ("latency <= 50 us", 51, False),
        ("dspqueue", 0, True),
    ],
)
def test_a_limit(text: str, value: float, met: bool) -> None:
    assert parse_requirement(text).met_by(value) is met
