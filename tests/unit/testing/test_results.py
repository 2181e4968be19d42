"""Results of tests go through JSON unchanged; what is no result is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from buildtool.testing.results import (
    Outcome,
    TestResult,
    TestRun,
    result_from_json,
    run_from_json,
)

RESULT = TestResult("unit", "add", "q6a", Outcome.CRASHED, 0.5, "ended by SIGSEGV", "é", ("a",))


def test_results_go_through_json() -> None:
    run = TestRun(
        *("q6a", "board", "0", "1", "v68"),
        soc="QCS6490",
        started=7,
        seconds=3.0,
        interrupted=False,
        tests=(RESULT,),
    )
    assert run_from_json(json.loads(json.dumps(run.as_json()))) == run


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "fine"},
        {"outcome": []},
        {"seconds": "soon"},
        {"seconds": 10**400},
        {"seconds": None},
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"lost": 1},
    ],
)
def test_what_is_no_result(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        result_from_json({**RESULT.as_json(), **change})


@pytest.mark.parametrize("document", [None, 5, [], {}, {"tests": 5}, {"tests": [5]}])
def test_what_is_no_run(document: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        run_from_json(document)
