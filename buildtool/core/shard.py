"""`--shard I/N`: a part of the steps or tests, as devices and CI jobs share them."""

from __future__ import annotations

import re

from buildtool.core.errors import UsageError
from buildtool.core.value import Value


class Shard(Value):
    """Part `number` of `total` parts, from 1."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


def parse_shard(text: str, whole: str = "tests") -> Shard:
    """The shard "2/3" of `whole`; raises `UsageError`."""
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text, re.ASCII)
    if found and 1 <= int(found[1]) <= int(found[2]):
        return Shard(int(found[1]), int(found[2]))
    raise UsageError(
        f"--shard: {text!r} is not a part of the {whole}",
        remedy="Write the number of the part and the number of parts: --shard 2/3",
    )
