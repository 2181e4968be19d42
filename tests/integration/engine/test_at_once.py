"""Several builds at once: of one project, and of clones that share a cache."""

from __future__ import annotations

import os
from pathlib import Path

from tests.caches import empty
from tests.integration.engine.clone import Clone
from tests.integration.engine.processes import start
from tests.integration.engine.scratch import Scratch
from tests.integration.engine.sources import FIRST


def test_builds_of_one_project_and_of_two_that_share_a_cache(
    tmp_path: Path, scratch: Scratch
) -> None:
    one_project(tmp_path / "one project", scratch)
    shared_cache(tmp_path / "shared cache", scratch)


def one_project(tmp_path: Path, scratch: Scratch) -> None:
    clone = Clone(tmp_path / "a clone")
    clone.check_out(FIRST)
    both = [start(clone.root) for _ in range(2)]
    errors = [process.communicate(timeout=120)[1] for process in both]

    assert [process.returncode for process in both] == [0, 0], errors
    waited = ["waiting for another buildtool in this project" in one for one in errors]
    assert sorted(waited) == [False, True]
    assert "3 steps up to date" in errors[waited.index(True)]
    assert clone.outputs() == scratch.whole(FIRST)


def shared_cache(tmp_path: Path, scratch: Scratch) -> None:
    empty(Path(os.environ["BUILDTOOL_CACHE"]))
    clones = [Clone(tmp_path / name) for name in ("one", "two", "three")]
    for clone in clones:
        clone.check_out(FIRST)
    both = [start(clone.root) for clone in clones[:2]]
    errors = [process.communicate(timeout=120)[1] for process in both]

    assert [process.returncode for process in both] == [0, 0], errors
    done = clones[2].build_here()
    assert set(done.values()) == {"restored"}
    for clone in clones:
        assert clone.outputs() == scratch.whole(FIRST)
