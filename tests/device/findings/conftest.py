"""A project whose program fails as its argument says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.project import Project


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, which has been built."""
    project = Project(tmp_path_factory.mktemp("a project") / "demo")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    shutil.copy(Path(__file__).with_name("faults.c"), project.root / "host/src/main.c")
    project.succeeds("build")
    return project


@pytest.fixture
def project(built: Project, tmp_path: Path) -> Project:
    """A copy of the project, to be changed."""
    shutil.copytree(built.root, tmp_path / "demo", symlinks=True)
    return Project(tmp_path / "demo", built.cache)
