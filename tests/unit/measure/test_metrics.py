"""The number of a metric in what a program prints, or the reason why there is none."""

from __future__ import annotations

import pytest

from buildtool.measure.sample import read_metric
from buildtool.project.benches import Metric

TIME = Metric(match=r"^time ([0-9.e+-]+|nan|inf) us", unit="us")


@pytest.mark.parametrize(
    ("output", "number"), [("time 12.5 us\n", 12.5), ("x\ntime 1e3 us\ntime 2 us\n", 1000.0)]
)
def test_the_first_match_counts(output: str, number: float) -> None:
    assert read_metric(TIME, output) == number


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "does not match"),
        ("time 1.2.3 us", "'1.2.3' is not a number"),
        ("time nan us", "the number is nan"),
        ("time inf us", "the number is inf"),
        ("time 1e999 us", "the number is inf"),
        ("time 0 us", "nothing was measured"),
        ("time -1 us", "nothing was measured"),
    ],
)
def test_what_is_no_measurement_is_refused(output: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_metric(TIME, output)


def test_an_exact_metric_can_be_zero() -> None:
    assert read_metric(Metric(match=r"errors (\d+)", exact=True), "errors 0") == 0


@pytest.mark.parametrize(
    ("path", "number"), [("runs.1.seconds", 0.5), ("total", 2.0), ("text", 7.0)]
)
def test_a_path_leads_into_a_json_document(path: str, number: float) -> None:
    document = '{"runs": [{"seconds": 1}, {"seconds": 0.5}], "total": 2, "text": "7"}'
    assert read_metric(Metric(json=path), document) == number


@pytest.mark.parametrize(
    ("output", "path", "reason"),
    [
        ("no JSON", "a", "not a JSON document"),
        ("[" * 100_000, "a", "not a JSON document"),
        ('{"a": {}}', "a.b", "has no a.b"),
        ('{"a": [1]}', "a.7", "has no a.7"),
        ('{"a": [1]}', "a.b", "has no a.b"),
        ('{"a": 1}', "a.b", "has no a.b"),
        ('{"a": true}', "a", "not a number"),
        ('{"a": null}', "a", "not a number"),
        ('{"a": [1]}', "a", "not a number"),
        ('{"a": 1e999}', "a", "the number is inf"),
    ],
)
def test_what_a_document_lacks_is_named(output: str, path: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_metric(Metric(json=path), output)
