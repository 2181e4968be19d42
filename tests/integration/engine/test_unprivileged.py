"""Builds in directories that are not writable or belong to another user.

They end in a clear error, or work without the cache; no file is lost.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.engine.app import App, new_app
from tests.integration.unprivileged import give_away, protect, unprivileged

Deny = Callable[..., None]
DENIALS = pytest.mark.parametrize("deny", [protect, give_away])
EITHER = pytest.mark.parametrize("deny", [protect, pytest.param(give_away, marks=pytest.mark.long)])
"""Where what is said does not depend on whose directory it is."""
REMEDY = "→ Set the environment variable BUILDTOOL_CACHE to a directory that you can write to."


@pytest.fixture
def app(tmp_path: Path) -> App:
    return new_app(tmp_path / "a project", tmp_path / "cache", unprivileged())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a project that was built there, and its cache."""
    place = tmp_path_factory.mktemp("built")
    new_app(place / "a project", place / "cache", unprivileged()).check_build()
    shutil.copytree(place, place.with_name(f"{place.name} kept"), symlinks=True)
    return place


@pytest.fixture
def built(kept: Path) -> App:
    """The project that was built, with its cache, as after that build: what other tests have left
    is gone."""
    for path in (kept, *kept.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(kept)
    shutil.copytree(kept.with_name(f"{kept.name} kept"), kept, symlinks=True)
    return App(kept / "a project", kept / "cache", prefix=unprivileged(), edits=1)


def content(folder: Path) -> dict[str, bytes | str]:
    """The contents of a directory: files, links, modes."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = f"{path.relative_to(folder)} {path.lstat().st_mode:o}"
        found[name] = str(path.readlink()) if path.is_symlink() else ""
        if path.is_file() and not path.is_symlink():
            found[name] = path.read_bytes()
    return found


@DENIALS
def test_a_project_that_may_only_be_read(deny: Deny, app: App) -> None:
    deny(app.root)
    before = content(app.root)
    output = app.fails()
    assert "the project's build directory cannot be used" in output
    assert f"{app.root}/.buildtool: Permission denied" in output
    assert "→ Make the project's directory writable, or copy the project" in output
    assert ("belongs to the user" in output) == (deny is give_away)
    assert "host/app" in app.run("build", "--plan").stdout
    app.why()
    assert content(app.root) == before


@DENIALS
def test_a_built_project_that_may_only_be_read(deny: Deny, built: App) -> None:
    deny(built.root)
    before = content(built.root)
    output = built.fails()
    assert "the project's build directory cannot be used" in output
    assert (
        f"→ Make the directory writable, or delete it: rm -rf '{built.root}/.buildtool'." in output
    )
    assert built.fails("clean")
    assert "up to date" in built.why()
    assert content(built.root) == before


@pytest.mark.parametrize(
    "part",
    [
        "state",
        pytest.param("out", marks=pytest.mark.long),
        pytest.param("build/app/*/CMakeFiles", marks=pytest.mark.long),
    ],
)
def test_a_part_of_what_was_built_belongs_to_another_user(part: str, built: App) -> None:
    (place,) = (built.root / ".buildtool").glob(part)
    give_away(place)
    built.edit_source()
    output = built.fails()
    assert "belongs to the user" in output
    assert "rm -rf" in output
    if part == "out":  # the remedy is the same for all
        shutil.rmtree(built.root / ".buildtool")
        built.check_build()


@pytest.mark.parametrize("part", ["state", pytest.param("out", marks=pytest.mark.long)])
def test_a_part_without_permissions(part: str, built: App) -> None:
    place = built.root / ".buildtool" / part
    place.chmod(0)
    built.edit_source()
    assert f"rm -rf '{built.root}/.buildtool'" in built.fails()
    place.chmod(0o755)
    built.check_build()


@pytest.mark.long
def test_an_empty_cache_that_may_only_be_read(app: App) -> None:
    for deny in (protect, give_away):
        app.cache = app.cache.with_name(f"cache {deny.__name__}")
        app.cache.mkdir()
        deny(app.cache)
        output = app.fails()
        assert "the cache cannot be used" in output
        assert f"the cache directory is {app.cache}" in output
        assert REMEDY in output
        assert ("belongs to the user" in output) == (deny is give_away)
    app.cache = app.cache.with_name("another cache")
    app.check_build()


@EITHER
def test_a_cache_that_may_only_be_read_is_used(deny: Deny, built: App) -> None:
    clone = replace(built, root=built.root.with_name("a clone"))
    built.copy_sources(clone.root)
    deny(built.cache)
    before = content(built.cache)
    output = clone.check_build()
    assert "restored" in output
    assert output.count("the cache cannot be written: Permission denied") == 1
    assert REMEDY in output
    clone.edit_source()
    assert "built" in clone.check_build()
    assert "up to date" in clone.check_build()
    assert content(built.cache) == before


@pytest.mark.long
@EITHER
def test_a_cache_that_may_only_be_read_is_not_for_zig(deny: Deny, built: App) -> None:
    (built.cache / "zig").mkdir(exist_ok=True)
    deny(built.cache)
    built.edit("buildtool.toml", 'toolchain = "gcc"\n', "")
    error = built.fails()
    assert f"the cache cannot be used: {built.cache}/zig: Permission denied" in error
    assert REMEDY in error


@pytest.mark.long
def test_a_part_of_zig_s_cache_belongs_to_another_user(app: App) -> None:
    part = app.cache / "zig/h"
    part.mkdir(parents=True)
    give_away(part)
    app.edit("buildtool.toml", 'toolchain = "gcc"\n', "")
    error = app.fails()
    assert f"the cache cannot be used: {part}: Permission denied" in error
    assert REMEDY in error


@pytest.mark.long
@EITHER
def test_what_is_done_with_a_cache_that_may_only_be_read(deny: Deny, built: App) -> None:
    deny(built.cache)
    before = content(built.cache)
    assert json.loads(built.run("cache", "stats", "--json").stdout)["blobs"]["file_count"]
    for verb in ("gc", "verify", "clear"):
        assert REMEDY in built.fails("cache", verb)
    assert content(built.cache) == before


def test_a_home_that_is_not_there(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/proc/none")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    app.prefix = ("env", "--unset=BUILDTOOL_CACHE")
    output = app.fails()
    assert "the cache directory is /proc/none/.cache/buildtool" in output
    assert REMEDY in output


def test_a_file_in_place_of_the_cache(app: App) -> None:
    app.cache.write_text("of the user")
    output = app.fails()
    assert f"the cache cannot be used: {app.cache}: Not a directory" in output
    assert REMEDY in output
    assert app.cache.read_text() == "of the user"
