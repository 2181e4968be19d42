"""`[budget.NAME]`: what tests, benches and builds may need at most."""

# No `from __future__ import annotations`: the reader evaluates all annotations in every run.
import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from buildtool.core.value import Value
from buildtool.project.keys import Key, Violation

COUNTS = ("packets", "calls")
SIZES = ("bytes", "stack", "vtcm", "code", "data")
OF_SKELS = ("code", "data")
BUDGET_NAME = r'[^\s"\\](?:[^\t\r\n"\\]*[^\s"\\])?'
"""Names of tests and benches, which may have more than those of tables."""
_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
SIZE_FORM = 'Write whole bytes, with a unit or without: "8192", "8 KiB" or "2 MiB".'
_SIZE = r"(\d{1,12}(?:\.\d{1,6})?) ?(B|KiB|MiB|)"


class Budget(Value):
    """`[budget.NAME]`: limits of a method, of a test or bench, of METHOD in one of these as
    "NAME/METHOD", or of a skel's files, "SKEL" or "SKEL/ARCH".  `bench` and `test` fail when one is
    exceeded, and `build` when a skel is too large."""

    packets: Annotated[
        int, Key("packets that the DSP may execute in a run, counted on sim; 0: no limit")
    ] = 0
    calls: Annotated[int, Key("calls of FastRPC, or messages of queues, in a run; 0: no limit")] = 0
    bytes: Annotated[str, Key('bytes of buffers that a run sends to the DSP: "2 MiB"')] = ""
    stack: Annotated[
        str, Key('stack that one thread of the DSP uses, measured on sim: "8 KiB"')
    ] = ""
    vtcm: Annotated[str, Key('VTCM that is held at the same time, measured on sim: "1 MiB"')] = ""
    code: Annotated[str, Key('code of the skel\'s files in memory: "64 KiB"')] = ""
    data: Annotated[str, Key("constants, variables and tables of the skel's files in memory")] = ""

    @property
    def limits(self) -> dict[str, int]:
        """The limits by key."""
        found = {key: getattr(self, key) for key in COUNTS}
        sizes = {key: parse_size(text) for key in SIZES if (text := getattr(self, key))}
        return {**{key: number for key, number in found.items() if number}, **sizes}


def parse_size(text: str) -> int:
    """The bytes in "8192", "8 KiB" or "1.5 MiB"; raises `ValueError`."""
    found = re.fullmatch(_SIZE, text, re.ASCII)
    size = float(found[1]) * _UNITS[found[2]] if found else 0.5
    if size % 1:
        raise ValueError(f"{text!r} is not a size")
    return int(size)


def budget_violations(budgets: Mapping[str, Budget]) -> Iterator[Violation]:
    """The problems of limits."""
    for name, budget in budgets.items():
        at = ("budget", name)
        for key in COUNTS:
            if getattr(budget, key) < 0:
                yield (*at, key), "is less than nothing", "Write a number from 1, or remove it."
        for key in SIZES:
            try:
                parse_size(getattr(budget, key) or "0")
            except ValueError as error:
                yield (*at, key), str(error), SIZE_FORM
        if budget == Budget():
            yield at, "has no limit", f"Add one: {', '.join((*COUNTS, *SIZES))}"
