"""Builds from scratch: in a new directory, by another process, with an empty cache."""

from __future__ import annotations

import shutil
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tests.caches import SLOW, share
from tests.integration.engine.clone import Clone, Outputs, outputs
from tests.integration.engine.processes import start
from tests.integration.engine.sources import COMPONENTS, State, alone


class Scratch:
    """Builds of single components below `place`, each run once, in the background."""

    def __init__(self, place: Path, pool: ThreadPoolExecutor) -> None:
        self.place = place
        self.known: dict[Hashable, Future[Outputs | None]] = {}
        self._pool = pool

    def __call__(self, state: State, component: str) -> Future[Outputs | None]:
        """The files of the release of `component`; None if the build fails."""
        project = alone(state, component)
        name = (component, *sorted(project.items(), key=lambda row: row[0]))
        if name not in self.known:
            root = self.place / f"scratch {len(self.known)}"
            self.known[name] = self._pool.submit(_build, root, project, component)
        return self.known[name]

    def whole(self, state: State) -> dict[str, Outputs | None]:
        """The files of the release of all components."""
        found = {component: self(state, component) for component in COMPONENTS}
        return {component: future.result() for component, future in found.items()}


def _build(root: Path, project: State, component: str) -> Outputs | None:
    Clone(root / "project").check_out(project)
    cache = share(root / "cache", (*SLOW, "emulator", "digests"))
    process = start(root / "project", BUILDTOOL_CACHE=str(cache))
    _, output = process.communicate()
    assert process.returncode in (0, 1), output
    made = (
        outputs(root / "project/.buildtool/release/sim")[component]
        if not process.returncode
        else None
    )
    shutil.rmtree(root)
    return made
