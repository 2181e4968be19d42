"""The results of a LAVA job, as `lavacli results --yaml JOB` and /api/v0.2/jobs/JOB/yaml/ list
them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from buildtool.core.files import read_regular
from buildtool.testing.export.results import DeviceResults, Ended, ResultsError

MAX_YAML = 4 << 20
STATUS_OF = {"pass": 0, "fail": 1}
"""The exit status of a test whose measurement does not tell it."""


def read_lava(path: Path) -> DeviceResults:
    """The tests in the list.  Raises `ResultsError` and `OSError`."""
    data = read_regular(path, MAX_YAML + 1)
    if len(data) > MAX_YAML:
        raise _no_list(path, f"it has more than {MAX_YAML:,} bytes")
    import yaml  # noqa: PLC0415 - slow to import

    try:
        # The base loader makes nothing but texts, lists and mappings.
        rows = yaml.load(data, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _no_list(path, str(error).partition("\n")[0]) from error
    found = dict(_ended(rows if isinstance(rows, list) else []))
    if not found:
        raise _no_list(path, "it lists no test of an export")
    return DeviceResults(found, {})


def _no_list(path: Path, why: str) -> ResultsError:
    return ResultsError(
        f"{path} is not a list of results of LAVA",
        why=why,
        remedy="Save the list of the job: lavacli results --yaml JOB >results.yaml",
    )


def _ended(rows: list[Any]) -> Iterator[tuple[int, Ended]]:
    for row in rows:
        if not isinstance(row, dict):
            continue
        name, result, place, unit, measured = (
            text if isinstance(text := row.get(key), str) else ""
            for key in ("name", "result", "url", "unit", "measurement")
        )
        number = re.fullmatch(r"(\d{1,6})\.[A-Za-z0-9._-]{1,200}", name, re.ASCII)
        status = re.fullmatch(r"(\d{1,3})(?:\.0{1,12})?", measured, re.ASCII)
        if not number or not (status or result in STATUS_OF):
            continue
        value = int(status[1]) if status else STATUS_OF[result]
        ended = Ended(None if unit == "timeout" else value, place=f"log: {place[:200]}")
        yield int(number[1]), ended if place else ended._replace(place="")
