"""The combinations of values that `bench --sweep` measures."""

from __future__ import annotations

import pytest

from buildtool.core.errors import UsageError
from buildtool.measure.measurement import cells_of
from buildtool.project.benches import Bench

BENCH = Bench("bin/b", parameters={"rows": 4096, "threads": 1})


def test_ranges_and_lists_are_combined() -> None:
    assert cells_of(BENCH, ["threads=1..2", "rows=64,128"]) == [
        {"threads": "1", "rows": "64"},
        {"threads": "1", "rows": "128"},
        {"threads": "2", "rows": "64"},
        {"threads": "2", "rows": "128"},
    ]


def test_values_may_be_any_text() -> None:
    assert cells_of(BENCH, ["rows=a=b,c..d"]) == [{"rows": "a=b"}, {"rows": "c..d"}]


@pytest.mark.parametrize(
    ("sweeps", "message"),
    [
        (["row=1"], "the bench has no parameter 'row'"),
        (["rows"], "rows has no values"),
        (["rows="], "rows has no values"),
        (["rows=1", "rows=2"], "rows is swept twice"),
        (["rows=8..1"], "8..1 is no range"),
        (["rows=1..999999999"], "is no range"),
        (["rows=1..100", "threads=1..100"], "10,000 combinations"),
    ],
)
def test_what_cannot_be_swept(sweeps: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cells_of(BENCH, sweeps)
