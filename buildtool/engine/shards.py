"""`--shard I/N`: a part of the steps or tests, as devices and CI jobs share them.

Which of several runners builds which step is chosen so that all end early and none repeats another.
Steps that another runner builds are restored.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError, UsageError
from buildtool.core.processes.process_tree import RUNNING_TOOLS
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.engine.lookup import CacheHit
    from buildtool.plan.plan import Plan

MIN_SECONDS = 0.01
"""Longer than nothing: a step comes after those that it needs."""
POLL_SECONDS = 0.2
MAX_POLL_SECONDS = 8.0


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
    # List scheduling by critical path: the longest chain of waiting steps decides when all end.
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


class OtherRunnerError(BuildtoolError):
    """Another runner did not provide what it builds."""

    code = "other-runner"


class Part(Value):
    """The part of a plan that this runner builds: `runners` has the number of the runner of each
    step that is shared; `wait` is how many seconds to wait for the step of another runner."""

    shard: Shard
    runners: Mapping[str, int]
    wait: float

    def is_own(self, step: str) -> bool:
        """Whether this runner builds the step, for itself and for the others."""
        return self.runners.get(step) == self.shard.number

    def is_foreign(self, step: str) -> bool:
        """Whether another runner builds the step."""
        return self.runners.get(step, self.shard.number) != self.shard.number

    def builder(self, step: str) -> str:
        """The option of the runner that builds the step."""
        return f"--shard {self.runners[step]}/{self.shard.total}"

    def missing(self, step: str, why: str) -> OtherRunnerError:
        """The error for a step that another runner does not provide."""
        return OtherRunnerError(
            f"{step} is not in the remote cache",
            why=f"{self.builder(step)} builds it; {why}",
            remedy="A build without --shard makes it, and all that needs it.",
        )


def wait_for_hit(
    part: Part, step: str, find: Callable[[], CacheHit | None], lost: threading.Event
) -> CacheHit:
    """What `find` finds, the outputs of another runner's step, once it does; raises
    `OtherRunnerError`, at once when `lost` says that the remote cache is not asked any more."""
    pause, end = POLL_SECONDS, time.monotonic() + part.wait
    while not (hit := find()):
        left = end - time.monotonic()
        if lost.is_set():
            raise part.missing(step, "the cache cannot be asked any more")
        if left <= 0:
            raise part.missing(step, f"it did not appear within {part.wait:.0f} s")
        RUNNING_TOOLS.get().sleep(min(pause, left))
        pause = min(pause * 1.5, MAX_POLL_SECONDS)
    return hit
