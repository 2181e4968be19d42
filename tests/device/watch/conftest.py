"""The project that is watched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.caches import SLOW, share
from tests.device.watch.watched import make_app
from tests.project import Project


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project of `make_app`, built, in a directory with a space in its name."""
    folder = tmp_path_factory.mktemp("watch")
    cache = share(folder / "cache", (*SLOW, "emulator", "digests"))
    project = Project(folder / "my app", cache=cache)
    make_app(project.root)
    project.build_here()
    shutil.copytree(cache / "actions", folder / "actions")
    return project


@pytest.fixture
def app(built: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as it was made, with its cache, and the build tree of the test before."""
    for path in set(built.root.iterdir()) - {built.root / ".buildtool"}:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    make_app(built.root)
    shutil.rmtree(built.cache / "actions")
    shutil.copytree(built.root.parent / "actions", built.cache / "actions")
    monkeypatch.setenv("BUILDTOOL_CACHE", str(built.cache))
    return built.root
