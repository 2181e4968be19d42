"""Unexpected entries are removed from this tool's own directories, and only from these."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core import own_directory
from buildtool.core.files import open_own, write_if_changed
from buildtool.core.own_directory import make_directory, own_root, repair_file
from buildtool.core.trees import remove_tree

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


@pytest.fixture(autouse=True)
def _no_repairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_directory, "repairs", [])


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
def test_what_is_in_the_way_of_a_directory_is_replaced(name: str, kind: str, state: Path) -> None:
    (state / name).parent.mkdir(parents=True)
    KINDS[kind](state / name)
    make_directory(state / name / "c" / "d")
    assert (state / name / "c" / "d").is_dir()
    assert not (state / name).is_symlink()
    assert own_directory.repairs == [f"replaced {state / name}, which was {kind}"]
    assert any(Path("/etc").iterdir())


@pytest.mark.parametrize("kind", [*KINDS, "a directory"])
def test_what_is_in_the_way_of_a_file_is_replaced(kind: str, state: Path) -> None:
    path = state / "a" / "loop"
    path.parent.mkdir(parents=True)
    {**KINDS, "a directory": folder}[kind](path)
    assert write_if_changed(path, "content")
    assert path.read_text() == "content"
    assert not path.is_symlink()
    assert (own_directory.repairs == []) == (kind != "a directory")  # a rename replaces others
    path.unlink()
    {**KINDS, "a directory": folder}[kind](path)
    os.close(open_own(path, os.O_RDWR))
    assert path.is_file()
    assert not path.is_symlink()


def test_a_link_to_the_same_content_is_replaced(state: Path, tmp_path: Path) -> None:
    (tmp_path / "of the user").write_text("content")
    state.mkdir()
    (state / "file").symlink_to(tmp_path / "of the user")
    assert write_if_changed(state / "file", "content")
    assert not (state / "file").is_symlink()


def test_nothing_is_removed_elsewhere(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "project" / ".buildtool").mkdir(parents=True)  # without a project file
    for parent in (tmp_path / "project" / ".buildtool", tmp_path, cache, cache / "sysroots"):
        path = parent / "of the user"
        path.mkdir(parents=True)
        with pytest.raises(OSError, match="director"):
            write_if_changed(path, "content")
        assert not repair_file(path)
        (path / "file").write_text("x")
        with pytest.raises(OSError, match=r"Not a directory|File exists"):
            make_directory(path / "file" / "sub")
        assert (path / "file").read_text() == "x"
    assert own_directory.repairs == []


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


def test_a_file_of_the_user_may_have_the_name_of_the_state(state: Path) -> None:
    state.write_text("of the user", encoding="utf-8")
    with pytest.raises(NotADirectoryError):
        make_directory(state / "state")
    assert state.read_text(encoding="utf-8") == "of the user"
    state.unlink()
    state.symlink_to("nothing")
    make_directory(state / "state")
    assert own_directory.repairs == [f"replaced {state}, which was a link to nothing"]


def test_links_to_directories_that_the_user_made_are_kept(
    state: Path, cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    cache.mkdir()
    for place in (cache / "zig", state):
        place.symlink_to(tmp_path / "elsewhere")
        make_directory(place / "sub")
        assert place.is_symlink()
    assert own_directory.repairs == []


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
