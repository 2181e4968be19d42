"""`buildtool clean`: what it removes, and what the next build does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Buildtool
from tests.integration.engine.pair import machine


def test_clean_deletes_one_target_or_all(
    buildtool: Buildtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = machine(tmp_path)
    monkeypatch.setenv("BUILDTOOL_CACHE", str(here.cache))
    project = here.root
    nothing = buildtool("clean", cwd=project)
    assert (nothing.returncode, nothing.stdout) == (0, "nothing to remove\n")
    assert buildtool("build", cwd=project).returncode == 0
    state = project / ".buildtool"

    one = buildtool("clean", "sim", cwd=project)
    assert one.returncode == 0, one.stderr
    assert ".buildtool/release/sim\n" in one.stdout
    assert "MB freed" in one.stdout
    assert list(state.glob("build/*/*/")) == list(state.glob("out/*/*")) == []

    done = buildtool("clean", "--json", cwd=project)
    assert set(json.loads(done.stdout)) == {"schema", "removed", "bytes"}
    left = {path.name for path in state.iterdir() if path.suffix != ".lock"}
    assert left == {".gitignore", "history"}
    assert buildtool("build", cwd=project).returncode == 0


def test_a_wrong_target(buildtool: Buildtool, project: Path) -> None:
    done = buildtool("clean", "sym", cwd=project)
    assert done.returncode == 2
    assert "there is no target 'sym'" in done.stderr

    done = buildtool("clean", "sim", "--all", cwd=project)
    assert done.returncode == 2
    assert "--all is for all targets" in done.stderr
