"""A part of the tests: `test --shard I/N`."""

from __future__ import annotations

from buildtool.core.shard import Shard
from buildtool.testing.suites import Selected


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
