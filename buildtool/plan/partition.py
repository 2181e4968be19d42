"""Which of several runners builds which step, so that all end early and none repeats another."""

from __future__ import annotations

from collections.abc import Mapping

from buildtool.plan.plan import Plan

MIN_SECONDS = 0.01
"""Longer than nothing: a step comes after those that it needs."""


def partition(plan: Plan, seconds: Mapping[str, float], total: int) -> dict[str, int]:
    """The number (from 1) of the runner of each step that CMake builds, in the order in which they
    should begin.

    It depends on the names of the steps, on what they need and on `seconds`, what building some of
    them took; the others count as the mean.  Each step goes to the runner that can begin it first,
    those that the longest chain of steps waits for before the others; of runners that can begin at
    the same time, one that built what the step needs.
    """
    needs = {step.name: [need for need, _ in step.needs] for step in plan.cmake_steps}
    known = [max(seconds[name], MIN_SECONDS) for name in needs if name in seconds]
    mean = sum(known) / len(known) if known else 1.0
    lasts = {name: max(seconds.get(name, mean), MIN_SECONDS) for name in needs}
    chains: dict[str, float] = {}  # seconds from the begin of a step to the end of those above it
    for name in reversed(needs):  # a plan has steps after those that they need
        users = [chains[user] for user in chains if name in needs[user]]
        chains[name] = lasts[name] + max(users, default=0.0)
    runners: dict[str, int] = {}
    ends: dict[str, float] = {}
    free = dict.fromkeys(range(1, total + 1), 0.0)
    for name in sorted(chains, key=lambda name: (-chains[name], name)):
        before = [need for need in needs[name] if need in ends]  # not prebuilt files
        ready = max((ends[need] for need in before), default=0.0)
        near = {runners[need] for need in before}
        runner = min(free, key=lambda one: (max(free[one], ready), one not in near, one))
        runners[name] = runner
        free[runner] = ends[name] = max(free[runner], ready) + lasts[name]
    return runners
