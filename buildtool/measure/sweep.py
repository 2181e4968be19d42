"""The values of parameters for which a bench is measured."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from buildtool.core.errors import UsageError
from buildtool.project.benches import Bench
from buildtool.project.validate import suggest

MAX_CELLS = 1000
FORM = "For example: --sweep threads=1..8 --sweep rows=1024,4096"


def cells_of(bench: Bench, sweeps: Sequence[str]) -> list[dict[str, str]]:
    """All combinations of the values in `sweeps`, each of which is NAME=FIRST..LAST or
    NAME=VALUE,VALUE; raises `UsageError`."""
    axes: dict[str, list[str]] = {}
    for text in sweeps:
        name, _, values = text.partition("=")
        if name not in bench.parameters:
            known = suggest(name, bench.parameters) if bench.parameters else ""
            raise UsageError(
                f"--sweep {text}: the bench has no parameter {name!r}",
                why="args and env name parameters as {NAME}, and `parameters` has their values",
                remedy=known or 'Add them to the bench: parameters = { rows = "4096" }',
            )
        if name in axes or not values:
            what = "is swept twice" if name in axes else "has no values"
            raise UsageError(f"--sweep {text}: {name} {what}", remedy=FORM)
        axes[name] = _values(text, values)
    count = 1
    for found in axes.values():
        count *= len(found)
    if count > MAX_CELLS:
        raise UsageError(
            f"--sweep has {count:,} combinations of values",
            remedy=f"Take at most {MAX_CELLS:,}.",
        )
    return [dict(zip(axes, cell, strict=True)) for cell in itertools.product(*axes.values())]


def _values(text: str, values: str) -> list[str]:
    found = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", values, re.ASCII)
    if not found:
        return list(dict.fromkeys(values.split(",")))
    first, last = int(found[1]), int(found[2])
    if not first <= last < first + MAX_CELLS:
        raise UsageError(f"--sweep {text}: {values} is no range of values", remedy=FORM)
    return list(map(str, range(first, last + 1)))
