"""The matrices of a project that were made before: the outcome of each test on each device."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.history import MATRICES, append_history
from buildtool.core.value import Value
from buildtool.report.records import records, rows_of, text_of, time_of
from buildtool.testing.results import TestRun, title


class Row(Value):
    """A device, and the outcomes of its tests by `SUITE/NAME`."""

    device: str
    firmware: str
    tests: Mapping[str, str]

    @classmethod
    def of(cls, run: TestRun) -> Row:
        tests = {title(test.suite, test.name): test.outcome.value for test in run.tests}
        return cls(run.device, run.firmware, tests)


class Matrix(Value):
    """The rows of a matrix that was made at `made`, in seconds since the epoch."""

    made: float
    rows: tuple[Row, ...]


def keep_matrix(state: Path, matrix: Matrix) -> None:
    """Append `matrix` to the history in the directory `state`."""
    rows = [row._asdict() for row in matrix.rows]
    append_history(state, MATRICES, {"made": round(matrix.made), "rows": rows})


def last_matrix(state: Path) -> Matrix | None:
    """The newest matrix in the history that can be read; None if there is none."""
    found, _ = records(state, MATRICES, _matrix)
    return found[-1] if found else None


def _matrix(line: Mapping[str, Any]) -> Matrix:
    return Matrix(time_of(line, "made"), tuple(_row(row) for row in rows_of(line, "rows")))


def _row(row: Mapping[str, Any]) -> Row:
    tests = row["tests"]
    if not isinstance(tests, dict) or not all(isinstance(each, str) for each in tests.values()):
        raise ValueError("the outcomes of tests are no texts")
    return Row(text_of(row, "device"), text_of(row, "firmware"), tests)
