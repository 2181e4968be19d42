"""A project from the template whose build trees many tests share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.caches import SLOW, empty, share
from tests.project import Project


@pytest.fixture(scope="session")
def _configured(tmp_path_factory: pytest.TempPathFactory, template: Path) -> Project:
    place = tmp_path_factory.mktemp("configured")
    cache = share(place / "cache", (*SLOW, "emulator", "digests"))
    project = Project(Path(shutil.copytree(template, place / "my project")), cache)
    project.build_here()
    return project


@pytest.fixture
def new_project(tmp_path: Path, template: Path) -> Path:
    """A project from the template without a build tree, where `project` is the one below."""
    return Path(shutil.copytree(template, tmp_path / "my project"))


@pytest.fixture
def configured(_configured: Project, template: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project from the template as if nothing had been built, with an empty cache, but with
    build trees that are configured, which saves time."""
    root = _configured.root
    files = {str(p.relative_to(template)): p for p in template.rglob("*") if p.is_file()}
    for path in sorted(root.rglob("*"), reverse=True):
        parts = path.relative_to(root).parts
        if parts[:2] == (".buildtool", "build") or parts == (".buildtool",):
            continue
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif "/".join(parts) not in files:
            path.unlink()
    for name, path in files.items():
        if not (root / name).is_file() or (root / name).read_bytes() != path.read_bytes():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(path.read_bytes())
    empty(_configured.cache)
    monkeypatch.setenv("BUILDTOOL_CACHE", str(_configured.cache))
    return root
