"""The state that the steps of one build share: file states, caches, the jobserver, the listener."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.events import Listener
from buildtool.core.value import Value
from buildtool.engine.jobserver import Jobserver, default_jobs
from buildtool.engine.options import Options
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import Step
from buildtool.plan.step_driver import BuildResources, StepDriver

if TYPE_CHECKING:
    from buildtool.engine.lookup import CacheLookup
    from buildtool.engine.shards import Part

REMOTE_VARIABLE = "BUILDTOOL_REMOTE_CACHE"


class Caches:
    """The caches of one build.  They are opened when they are first used: most builds need none."""

    def __init__(self, listener: Listener, stack: contextlib.ExitStack) -> None:
        self._listener = listener
        self._stack = stack
        self._opening = threading.Lock()
        self._lookup: CacheLookup | None = None

    @property
    def lookup(self) -> CacheLookup:
        with self._opening:
            if self._lookup is None:
                self._lookup = self._open()
            return self._lookup

    def _open(self) -> CacheLookup:
        from buildtool.cache.local import open_cache  # noqa: PLC0415
        from buildtool.engine.lookup import CacheLookup  # noqa: PLC0415

        local = self._stack.enter_context(contextlib.closing(open_cache(self._listener)))
        if not os.environ.get(REMOTE_VARIABLE):
            return CacheLookup(local)
        from buildtool.cache.remote.client import RemoteCache  # noqa: PLC0415
        from buildtool.cache.remote.config import remote_config  # noqa: PLC0415

        config = remote_config(os.environ)
        return CacheLookup(local, RemoteCache(config, self._listener) if config else None)


class BuildContext(Value):
    """One build: `state` is the directory of its records and logs, `rebuild` are the names of the
    steps that may not be restored from a cache, `trees` those of the steps whose build trees are
    needed besides their outputs; `part` is the part of the plan that this runner builds, None for
    all of it."""

    state: Path
    driver_of: Callable[[Step], StepDriver]
    file_states: FileStates
    jobserver: Jobserver
    caches: Caches
    listener: Listener
    options: Options
    rebuild: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    part: Part | None = None

    @property
    def resources(self) -> BuildResources:
        """The resources that the drivers of steps use in a build."""
        return BuildResources(
            file_states=self.file_states,
            listener=self.listener,
            logs=self.state / "logs",
            token=self.jobserver.token,
            environment=self.jobserver.environment,
            token_lost=self.jobserver.lost,
            compiler_launcher=self.options.compiler_launcher,
            keep_going=self.options.keep_going,
        )

    def with_fresh_stats(self) -> BuildContext:
        """A copy of the context that looks at every file anew."""
        return self._replace(file_states=self.file_states.with_fresh_stats())


@contextlib.contextmanager
def open_context(
    state: Path,
    driver_of: Callable[[Step], StepDriver],
    listener: Listener,
    options: Options | None = None,
) -> Iterator[BuildContext]:
    """The context of a build, for the block.  At its end the digests of files are saved, also when
    the build failed."""
    options = options or Options()
    file_states = FileStates(state / "digests")
    with contextlib.ExitStack() as stack:
        stack.callback(file_states.save)
        jobserver = stack.enter_context(Jobserver(options.jobs or default_jobs()))
        caches = Caches(listener, stack)
        yield BuildContext(state, driver_of, file_states, jobserver, caches, listener, options)
