"""Reads the numbers that a program prints."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from buildtool.project.benches import Metric

SHOWN = 60


def read_metric(metric: Metric, output: str) -> float:
    """The number of `metric` in the standard output of a program.

    Raises `ValueError` when there is none, or one that nothing can be compared with: a time of 0
    means that nothing was measured.
    """
    text = _matched(metric.match, output) if metric.match else _json_value(metric.json, output)
    try:
        number = float(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{text[:SHOWN]!r} is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"the number is {number}")
    if number <= 0 and not metric.exact:
        raise ValueError(f"the number is {number:g}, so nothing was measured")
    return number


def _matched(expression: str, output: str) -> str:
    if found := re.search(expression, output, re.MULTILINE):
        return found[1] or ""
    raise ValueError(f"the standard output does not match {expression}")


def _json_value(path: str, output: str) -> str:
    try:
        value: Any = json.loads(output)
    except (ValueError, RecursionError):
        raise ValueError("the output is not a JSON document") from None
    for part in path.split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (LookupError, ValueError, TypeError):
            raise ValueError(f"the JSON document has no {path}") from None
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"{path} of the JSON document is not a number")
    return str(value)
