"""Durations, and the checks of `[run.NAME]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from buildtool.project.model import Run

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
DURATION_FORM = 'Write a number and a unit: "90s", "2m" or "1h".'


def seconds(text: str) -> float:
    """The duration "90", "90s", "1.5m" or "1h" in seconds; raises `ValueError`."""
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)([smh]?)", text)
    if not found or float(found[1]) == 0:
        raise ValueError(f"{text!r} is not a duration")
    return float(found[1]) * _UNITS[found[2] or "s"]


def run_violations(runs: Mapping[str, Run]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """The problems of named runs: keys, what is wrong, and what to do."""
    for name, run in runs.items():
        if not run.program:
            yield ("run", name, "program"), "is empty", 'Name a program: "bin/demo".'
        for variable in run.env:
            if not re.fullmatch(_VARIABLE, variable):
                yield (
                    ("run", name, "env"),
                    f"{variable!r} is not the name of a variable",
                    "Use letters, digits and '_'; do not start with a digit.",
                )
        if run.timeout:
            try:
                seconds(run.timeout)
            except ValueError as error:
                yield ("run", name, "timeout"), str(error), DURATION_FORM
