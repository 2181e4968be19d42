"""The results of a LAVA job, as `lavacli results --yaml JOB` and /api/v0.2/jobs/JOB/yaml/ list
them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.testing.export.results import DeviceResults, Ended, ResultsError

MAX_YAML = 4 << 20
ROW, MAX_DEPTH = 2, 32
"""The depth of a row of the list, and the greatest one."""
STATUS_OF = {"pass": 0, "fail": 1}
"""The exit status of a test whose measurement does not tell it."""


def read_lava(path: Path) -> DeviceResults:
    """The tests in the list.  Raises `ResultsError` and `OSError`."""
    data = read_regular(path, MAX_YAML + 1)
    if len(data) > MAX_YAML:
        raise _no_list(path, f"it has more than {MAX_YAML:,} bytes")
    import yaml  # noqa: PLC0415 - slow to import

    try:
        found = dict(_ended(_rows(data)))
    except (yaml.YAMLError, ValueError) as error:
        raise _no_list(path, str(error).partition("\n")[0]) from error
    if not found:
        raise _no_list(path, "it lists no test of an export")
    return DeviceResults(found, {})


def _no_list(path: Path, why: str) -> ResultsError:
    return ResultsError(
        f"{path} is not a list of results of LAVA",
        why=why,
        remedy="Save the list of the job: lavacli results --yaml JOB >results.yaml",
    )


def _rows(data: bytes) -> Iterator[dict[str, str]]:
    """The mappings of the list, with those of their values that are texts.

    Events are read and no document is made: the C library recurses into nested ones until its stack
    is full, and aliases can make one of any size.  Raises `ValueError` and the errors of yaml.
    """
    import yaml  # noqa: PLC0415 - slow to import

    row: dict[str, str] = {}
    key: str | None = None
    depth = 0
    for event in yaml.parse(data, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"it is nested more than {MAX_DEPTH} times")
            if depth == ROW:
                row, key = {}, None
            elif depth > ROW:
                key = None
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            if depth == ROW - 1:
                yield row
        elif depth == ROW and isinstance(event, yaml.NodeEvent):
            if key is None:
                key = getattr(event, "value", "")
            else:
                row[key], key = getattr(event, "value", ""), None


def _ended(rows: Iterator[dict[str, str]]) -> Iterator[tuple[int, Ended]]:
    for row in rows:
        name, result, place, unit, measured = (
            row.get(key, "") for key in ("name", "result", "url", "unit", "measurement")
        )
        number = re.fullmatch(r"(\d{1,6})\.[A-Za-z0-9._-]{1,200}", name, re.ASCII)
        status = re.fullmatch(r"(\d{1,3})(?:\.0{1,12})?", measured, re.ASCII)
        if not number or not (status or result in STATUS_OF):
            continue
        value = int(status[1]) if status else STATUS_OF[result]
        ended = Ended(None if unit == "timeout" else value, place=f"log: {place[:200]}")
        yield int(number[1]), ended if place else ended._replace(place="")
