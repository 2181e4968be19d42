"""Something else in the place of a file of a build: the build is right, or says what to delete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LONG
from tests.integration.engine.app import App, new_app

Put = Callable[[Path, Path], object]
KINDS: dict[str, Put] = {
    "pipe": lambda path, _: os.mkfifo(path),
    "link": lambda path, user: path.symlink_to(user),
    "directory": lambda path, _: path.mkdir(),
}
SHORT = (".ninja_log", ".ninja_deps", "a.c.o.d", "install.trace.json", "build.ninja", "build.lock")
"""Files that Ninja, a compiler, the install script, CMake and the build itself write."""


@pytest.fixture
def app(tmp_path: Path) -> App:
    made = new_app(tmp_path / "a project", tmp_path / "cache")
    made.check_build()
    return made


@pytest.mark.parametrize(
    "kind", ["pipe", "link", pytest.param("directory", marks=pytest.mark.long)]
)
def test_a_build_waits_for_nothing_and_follows_no_link(kind: str, app: App, tmp_path: Path) -> None:
    user = tmp_path / "file"
    user.write_text("of the user")
    files = [path for path in (app.root / ".buildtool").rglob("*") if path.is_file()]
    names = SHORT if LONG or kind == "link" else SHORT[::2]
    chosen = [path for path in files if LONG or path.name in names]
    assert {path.name for path in chosen} >= {*names}
    for path in chosen:
        path.parent.mkdir(parents=True, exist_ok=True)  # the last build has made the tree again
        path.unlink(missing_ok=True)
        KINDS[kind](path, user)
        app.edit_source()
        done = app.run("build")
        if done.returncode:
            assert f"Delete the directory: rm -rf '{app.root}/.buildtool'" in done.stderr, path
            path.rmdir() if path.is_dir() else path.unlink()
            app.succeeds("build")
        app.check_library()
        assert user.read_text() == "of the user", path
