"""Steps of a build that several runners share: those that another runner builds are restored."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.process_tree import RUNNING_TOOLS
from buildtool.core.shard import Shard
from buildtool.core.value import Value
from buildtool.engine.lookup import CacheHit

POLL_SECONDS = 0.2
MAX_POLL_SECONDS = 8.0


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
