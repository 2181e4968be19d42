"""This tool's own directories, and what stops it there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.trees import as_unwritable_error, make_directory, own_root, remove_tree

Put = Callable[[Path], object]


def folder(path: Path) -> None:
    (path / "sub").mkdir(parents=True)


KINDS: dict[str, Put] = {
    "a file": lambda path: path.write_text("x"),
    "a named pipe": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to loop": lambda path: path.symlink_to(path.name),
    "a link to /etc": lambda path: path.symlink_to("/etc"),
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def state(tmp_path: Path, cache: Path) -> Path:
    """The state directory of a project, which does not exist yet."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "buildtool.toml").touch()
    return tmp_path / "project" / ".buildtool"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["loop", "a/loop", "a/b/loop"])
def test_only_directories_are_used_and_no_links(name: str, kind: str, state: Path) -> None:
    (state / name).parent.mkdir(parents=True)
    KINDS[kind](state / name)
    with pytest.raises(NotADirectoryError) as caught:
        make_directory(state / name / "c" / "d")
    error = as_unwritable_error(caught.value)
    assert error
    assert error.message.startswith("the project's build directory cannot be used")
    assert str(state / name) in error.message
    assert error.remedy == f"Delete the directory: rm -rf '{state}'."


def test_of_the_cache_only_what_is_wrong_has_to_go(cache: Path) -> None:
    cache.mkdir()
    (cache / "actions").write_text("x")
    with pytest.raises(NotADirectoryError) as caught:
        make_directory(cache / "actions" / "ac")
    error = as_unwritable_error(caught.value)
    assert error
    assert error.remedy == f"Delete it: rm -rf '{cache}/actions'."


def test_git_ignores_a_new_state_directory_only(state: Path, cache: Path) -> None:
    make_directory(state / "a" / "b")
    make_directory(cache / "zig")
    assert {path.name for path in state.rglob("*")} == {".gitignore", "a", "b"}
    assert (state / ".gitignore").read_text() == "*\n"
    assert [path.name for path in cache.iterdir()] == ["zig"]
    (state / ".gitignore").unlink()
    make_directory(state / "a" / "c")
    assert not (state / ".gitignore").exists(), "the user has removed it"


def test_what_the_user_named_is_not_removed(tmp_path: Path, cache: Path) -> None:
    cache.write_text("of the user", encoding="utf-8")
    for path in (cache, cache / "zig"):
        with pytest.raises(NotADirectoryError):
            make_directory(path)
    cache.unlink()
    cache.symlink_to("nothing")
    with pytest.raises(NotADirectoryError):
        make_directory(cache / "zig")
    assert cache.is_symlink()


def test_links_to_directories_that_the_user_made_are_kept(
    state: Path, cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    cache.mkdir()
    for place in (cache / "zig", state):
        place.symlink_to(tmp_path / "elsewhere")
        make_directory(place / "sub")
        assert place.is_symlink()


def test_whose_a_path_is(state: Path, cache: Path) -> None:
    assert own_root(state) == own_root(state / "a" / "b") == state
    assert own_root(state.parent) is own_root(state.parent / "src") is None
    assert own_root(cache) == own_root(cache / "zig") == own_root(cache / "actions" / "ac") == cache
    assert own_root(cache / "sysroots" / "board") is own_root(cache / "notes") is None
    assert own_root(cache.parent) is None
    assert own_root(Path("/")) is None


def test_remove(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    path = tmp_path / "path"
    link_to_kept: Put = lambda path: path.symlink_to(tmp_path / "kept")  # noqa: E731
    for put in (*KINDS.values(), folder, link_to_kept):
        put(path)
        remove_tree(path)
        assert not os.path.lexists(path)
    remove_tree(path)
    (tmp_path / "file").touch()
    remove_tree(tmp_path / "file" / "below")
    (tmp_path / "loop").symlink_to("loop")
    remove_tree(tmp_path / "loop" / "below")
    assert (tmp_path / "kept" / "file").exists()
