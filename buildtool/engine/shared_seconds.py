"""How long the steps of a target take to build: a document in the remote cache.

Runners that share a build divide the steps by it.  Each has records of its own, so none can divide
by those; and runners do not write the document, so all runners of one build find the same one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from buildtool.cache.action import FOREVER
from buildtool.cache.remote.client import RemoteCache
from buildtool.core.files import parse_bounded, value_digest
from buildtool.engine.context import BuildContext
from buildtool.engine.result import BuildResult
from buildtool.plan.plan import Plan

CHANGE = 2.0
"""The factor from which on another duration is stored: each change gives other parts."""


def read_seconds(plan: Plan, remote: RemoteCache) -> dict[str, float]:
    """The seconds of those steps of `plan` of which the server knows them."""
    document = remote.document(_key(plan))
    try:
        stored = parse_bounded(document.data) if document else {}
    except ValueError:
        stored = {}
    if not isinstance(stored, Mapping):
        return {}
    return {
        step.name: float(seconds)
        for step in plan.cmake_steps
        if isinstance(seconds := stored.get(step.name), int | float) and 0 <= seconds < FOREVER
    }


def store_seconds(plan: Plan, took: Mapping[str, float], remote: RemoteCache) -> None:
    """Store what building the steps of `plan` took, if one is new or took another time."""
    known = read_seconds(plan, remote)
    if any(_differs(known.get(name), seconds) for name, seconds in took.items()):
        remote.put(_key(plan), json.dumps({**known, **took}).encode(), {})


def share_seconds(build: BuildResult, context: BuildContext) -> None:
    """Store how long the steps of a whole build took, on whatever machine they were built."""
    remote = context.caches.lookup.remote if context.options.use_caches else None
    if remote and remote.writable:
        took = {
            result.step.name: round(result.record.seconds, 1)
            for result in build.steps
            if result.record and context.driver_of(result.step).is_cached
        }
        store_seconds(build.plan, took, remote)


def _differs(known: float | None, now: float) -> bool:
    return known is None or not known <= now * CHANGE + 1 or not now <= known * CHANGE + 1


def _key(plan: Plan) -> str:
    return value_digest(["seconds", plan.target, sorted(step.name for step in plan.cmake_steps)])
