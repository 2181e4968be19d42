"""A part of the tests: `--shard I/N`, as devices and CI jobs share them."""

from __future__ import annotations

import re

from buildtool.core.errors import UsageError
from buildtool.core.value import Value
from buildtool.testing.suites import Selected


class Shard(Value):
    """Part `number` of `total` parts, from 1."""

    number: int
    total: int


def parse_shard(text: str) -> Shard:
    """The shard "2/3"; raises `UsageError`."""
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text, re.ASCII)
    if found and 1 <= int(found[1]) <= int(found[2]):
        return Shard(int(found[1]), int(found[2]))
    raise UsageError(
        f"--shard: {text!r} is not a part of the tests",
        remedy="Write the number of the part and the number of parts: --shard 2/3",
    )


def in_shard(selected: Selected, shard: Shard) -> Selected:
    """The selected tests of `shard`: each test is in one of the shards, and neighbours, which often
    take equally long, are in different ones.

    The order in which a suite lists its tests makes no difference: with pytest-randomly, each
    process has another one.
    """
    before = 0
    found: Selected = []
    for suite, names in selected:
        known = suite.names() if names is None else names
        ranked = sorted(set(known))
        mine = set(ranked[(shard.number - 1 - before) % shard.total :: shard.total])
        before += len(ranked)
        if mine:
            found.append((suite, [name for name in known if name in mine]))
    return found
