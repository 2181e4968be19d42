"""A project with the records of the example."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.project.model import Project
from buildtool.project.read import read_project
from tests.unit.report.example import write_example


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache directory, without cards."""
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def bare(tmp_path: Path, cache: Path) -> Project:
    """A project of which nothing is recorded."""
    root = tmp_path / "demo"
    (root / "host").mkdir(parents=True)
    (root / "host" / "CMakeLists.txt").touch()
    target = '[target.sim]\nplatform = "ubuntu-aarch64"\n'
    text = f'[project]\nname = "demo"\n{target}[host.app]\nsource = "host"\n'
    (root / "buildtool.toml").write_text(text, "utf-8")
    return read_project(root / "buildtool.toml")


@pytest.fixture
def used(bare: Project, cache: Path) -> Project:
    """The same project with the records of the example."""
    write_example(bare.state, cache)
    return bare
