"""A runner waits for a step that another one builds."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from buildtool.core.processes.process_tree import running_tools
from buildtool.engine.lookup import CacheHit
from buildtool.engine.record import StepRecord
from buildtool.engine.shards import OtherRunnerError, Part, Shard, wait_for_hit
from buildtool.inputs.path_sets import InputSet, PathSet

PART = Part(Shard(1, 2), {"host/own": 1, "host/base": 2}, wait=3600.0)
HIT = CacheHit(
    "a" * 64, StepRecord("b" * 64, InputSet(PathSet.of(), {}, (), {}), (), 1.0), "remote"
)


def test_which_steps_are_whose() -> None:
    steps = ("host/own", "host/base", "host/prebuilt")
    assert [PART.is_own(step) for step in steps] == [True, False, False]
    assert [PART.is_foreign(step) for step in steps] == [False, True, False]


def test_it_takes_what_appears() -> None:
    answers: Iterator[CacheHit | None] = iter([None, HIT])
    assert wait_for_hit(PART, "host/base", lambda: next(answers), threading.Event()) == HIT


def test_without_the_server_it_does_not_wait() -> None:
    lost = threading.Event()
    lost.set()
    with pytest.raises(OtherRunnerError, match="--shard 2/2 builds it; the cache cannot be asked"):
        wait_for_hit(PART, "host/base", lambda: None, lost)


def test_it_looks_once_more_when_its_time_is_over() -> None:
    asked: list[int] = []
    part = PART._replace(wait=0.1)
    with pytest.raises(OtherRunnerError, match="it did not appear within 0 s"):
        wait_for_hit(part, "host/base", lambda: asked.append(1), threading.Event())
    assert len(asked) == 2


def test_it_ends_with_the_build() -> None:
    with running_tools() as tools:
        tools.terminate()
        with pytest.raises(KeyboardInterrupt):
            wait_for_hit(PART, "host/base", lambda: None, threading.Event())
