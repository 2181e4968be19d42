"""What the steps of one build share: the disk as it is, caches, the budget of jobs, the screen."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.events import Listener
from buildtool.core.value import Value
from buildtool.engine.jobserver import Jobserver, default_jobs
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import CMakeStep
from buildtool.project.model import Tool
from buildtool.sdk.cmake import CMake, find_cmake

if TYPE_CHECKING:
    from buildtool.engine.lookup import Lookup

REMOTE_VARIABLE = "BUILDTOOL_REMOTE_CACHE"


class Options(Value):
    """How a build is to go: jobs at once (0: as many as fit), whether to go on after a failure,
    the compiler launcher ("" for the project's)."""

    jobs: int = 0
    keep_going: bool = False
    launcher: str = ""


class Caches:
    """The caches of one build, opened when they are first asked: most builds have nothing to do."""

    def __init__(self, listener: Listener, stack: contextlib.ExitStack) -> None:
        self._listener = listener
        self._stack = stack
        self._opening = threading.Lock()
        self._lookup: Lookup | None = None

    @property
    def lookup(self) -> Lookup:
        with self._opening:
            if self._lookup is None:
                self._lookup = self._open()
            return self._lookup

    def _open(self) -> Lookup:
        from buildtool.cache.local import open_cache  # noqa: PLC0415
        from buildtool.engine.lookup import Lookup  # noqa: PLC0415

        local = self._stack.enter_context(open_cache(self._listener))
        if not os.environ.get(REMOTE_VARIABLE):
            return Lookup(local)
        from buildtool.cache.remote.client import RemoteCache  # noqa: PLC0415
        from buildtool.cache.remote.config import remote_config  # noqa: PLC0415

        config = remote_config(os.environ)
        return Lookup(local, RemoteCache(config, self._listener) if config else None)


class Building(Value):
    """One build: `state` is the directory of records and logs, `rebuild` the steps that are taken
    from no cache."""

    state: Path
    file_states: FileStates
    jobserver: Jobserver
    caches: Caches
    listener: Listener
    options: Options
    cmakes: dict[tuple[Tool, Tool], CMake]
    rebuild: frozenset[str] = frozenset()

    def cmake(self, step: CMakeStep) -> CMake:
        """The CMake and the Ninja of `step`, looked for once."""
        asked = (step.cmake, step.ninja)
        if asked not in self.cmakes:
            self.cmakes[asked] = find_cmake(*asked)
        return self.cmakes[asked]

    def now(self) -> Building:
        """The same, with the disk as it is from now on."""
        return self._replace(file_states=self.file_states.with_fresh_stats())


@contextlib.contextmanager
def building(state: Path, listener: Listener, options: Options | None = None) -> Iterator[Building]:
    """What steps share, for the block; what was digested is remembered at its end."""
    options = options or Options()
    file_states = FileStates(state / "digests")
    with contextlib.ExitStack() as stack:
        jobs = stack.enter_context(Jobserver(options.jobs or default_jobs()))
        yield Building(state, file_states, jobs, Caches(listener, stack), listener, options, {})
        file_states.save()
