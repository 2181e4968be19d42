"""Processes share the tests: each runs a shard."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from buildtool.engine.shards import Shard
from buildtool.testing.suites import Selected, in_shard
from tests.unit.testing.test_select import Suite

TESTS = [f"test[{number}]" for number in range(7)]


def listed(seed: int) -> Selected:
    """What one process lists: a suite in an order of its own, and some tests of another one."""
    shuffled = random.Random(seed).sample(TESTS, len(TESTS))
    return [(Suite("dsp", *shuffled), None), (Suite("host", *TESTS), ["test[1]", "test[0]"])]


@pytest.mark.parametrize("total", [1, 2, 3, 9, 20])
def test_each_test_is_in_one_shard_whatever_order_it_is_listed_in(total: int) -> None:
    shares = [in_shard(listed(number), Shard(number, total)) for number in range(1, total + 1)]
    counts = [sum(len(names or ()) for _, names in share) for share in shares]
    ran = Counter(
        (suite.name, name) for share in shares for suite, names in share for name in names or ()
    )
    assert set(ran.values()) == {1}
    assert len(ran) == 9
    assert max(counts) - min(counts) <= 1


def test_a_shard_keeps_the_order_in_which_tests_are_listed() -> None:
    [(_, names)] = in_shard([(Suite("dsp", "c", "a", "d", "b"), None)], Shard(1, 2))
    assert names == ["c", "a"]
