"""A separate cache for each test, so that no test sees the sysroots of another."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.device.sysroot.pull import pull
from buildtool.device.sysroot.source import open_directory
from buildtool.sdk.sysroot import Sysroot
from tests.caches import SLOW, share
from tests.standins.device import make_board

from .linked import LIBRARY, MAIN, Linked

Pull = Callable[..., tuple[Sysroot, bool]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache, which shares zig's cache and the stand-ins; its path has a space."""
    own = share(tmp_path / "the cache", (*SLOW, "stand-ins"))
    monkeypatch.setenv("BUILDTOOL_CACHE", str(own))
    return own


@pytest.fixture(scope="session")
def _made_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_board(tmp_path_factory.mktemp("made") / "board")


@pytest.fixture
def board(tmp_path: Path, _made_board: Path) -> Path:
    """The root of a stand-in board, which the test may change."""
    return shutil.copytree(_made_board, tmp_path / "a board", symlinks=True)


@pytest.fixture
def pull_from() -> Pull:
    """Pull the sysroot called `name` from the directory `root`."""

    def pull_(root: Path, name: str = "board", *, libc: bool = False) -> tuple[Sysroot, bool]:
        return pull(open_directory(root), name, libc=libc, waiting=lambda: None)

    return pull_


@pytest.fixture
def project(tmp_path: Path) -> Linked:
    project = Linked(tmp_path / "a project")
    project.write("host/main.c", MAIN)
    project.write("host/library.c", LIBRARY)
    project.target("zig")
    return project
