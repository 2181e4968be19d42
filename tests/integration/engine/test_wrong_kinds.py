"""Builds replace any entry of another kind in place of their own files and directories.

The targets of links do not change.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.integration.engine.app import App, new_app
from tests.integration.engine.wrong_kinds import (
    FOR_FILES,
    FOR_FOLDERS,
    Elsewhere,
    Kind,
    dangling,
    file,
    link,
    loop,
    pipe,
    put,
)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    return Elsewhere(tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> App:
    place = tmp_path_factory.mktemp("wrong kinds")
    made = new_app(place / "a project", place / "cache")
    made.check_build()
    return made


@pytest.fixture
def app(project: App, elsewhere: Elsewhere) -> Iterator[App]:
    """A project with an intact build tree."""
    project.edit_source()
    project.build_here()
    yield project
    assert elsewhere.is_whole()


def turns(kinds: tuple[Kind, ...]) -> pytest.MarkDecorator:
    """As many turns as kinds, of which one is in the short suite: in it each path meets one of the
    kinds, and each kind is met by paths of all sorts."""
    rows = [pytest.param(turn, marks=[pytest.mark.long] * (turn > 0)) for turn in range(len(kinds))]
    return pytest.mark.parametrize("turn", rows)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())


def leaves(found: Iterable[Path]) -> list[Path]:
    """The paths that contain none of the others."""
    found = list(found)
    return [path for path in found if not any(path in other.parents for other in found)]


def replace(kinds: tuple[Kind, ...], turn: int, found: list[Path], elsewhere: Elsewhere) -> None:
    """Replace each path by one kind; over all turns each path is replaced by every kind."""
    assert found
    for number, path in enumerate(found):
        put(kinds[(number + turn) % len(kinds)], path, elsewhere)


@turns(FOR_FILES)
def test_every_file_of_a_build_tree(turn: int, app: App, elsewhere: Elsewhere) -> None:
    # Without its record the whole tree is created again, whatever it contains.
    found = [path for path in files(app.tree("app")) if path.name != "buildtool-tree.json"]
    replace(FOR_FILES, turn, found, elsewhere)
    app.edit_source()
    assert "repaired: replaced " in app.check_build()
    app.edit_source()
    assert "repaired" not in app.check_build()


@turns(FOR_FOLDERS)
def test_directories_of_a_build_tree(turn: int, app: App, elsewhere: Elsewhere) -> None:
    tree, kind = app.tree("app"), FOR_FOLDERS[turn]
    replace(FOR_FOLDERS, turn, leaves(folders(tree)), elsewhere)
    put(kind, tree / "install.new", elsewhere)
    put(kind, tree.with_name(f".{tree.name}.gone"), elsewhere)
    app.edit_source()
    app.check_build()
    put(kind, app.tree("app") / "CMakeFiles", elsewhere)
    app.edit_source()
    app.check_build()


@turns(FOR_FILES)
def test_every_file_besides_the_build_tree(turn: int, app: App, elsewhere: Elsewhere) -> None:
    tree = app.tree("app")
    found = [path for path in files(app.root / ".buildtool") if tree not in path.parents]
    found += files(app.cache)
    assert {"build.lock", "digests", "project.json", "index.sqlite", "run.sh"} < {
        path.name for path in found
    }
    found.append(tree / "buildtool-tree.json")
    replace(FOR_FILES, turn, found, elsewhere)
    assert "repaired: replaced " in app.check_build()
    app.edit_source()
    assert "cannot be written" not in app.check_build()


@turns(FOR_FOLDERS)
def test_every_directory_besides_the_build_tree(turn: int, app: App, elsewhere: Elsewhere) -> None:
    state, tree = app.root / ".buildtool", app.tree("app")
    outside = [path for path in folders(state) if tree not in (path, *path.parents)]
    outside += [path for path in folders(app.cache) if path.parent != app.cache]
    found = [path for path in leaves(outside) if path not in tree.parents]
    replace(FOR_FOLDERS, turn, [*found, tree], elsewhere)
    app.edit_source()
    app.check_build()
    replace(FOR_FOLDERS, turn, [path for path in state.iterdir() if path.is_dir()], elsewhere)
    # Users may replace a directory of the cache by a link to another disk.
    kinds = tuple(kind for kind in FOR_FOLDERS if kind is not link)
    replace(kinds, turn, [path for path in app.cache.iterdir() if path.is_dir()], elsewhere)
    app.edit_source()
    assert "cannot be written" not in app.check_build()


def test_the_directory_of_all_that_is_built(app: App, elsewhere: Elsewhere) -> None:
    for kind in (pipe, dangling, loop):
        put(kind, app.root / ".buildtool", elsewhere)
        assert "repaired: replaced " in app.check_build(), kind.__name__


def test_a_file_of_the_user_has_the_name_of_that_directory(app: App, elsewhere: Elsewhere) -> None:
    state = app.root / ".buildtool"
    put(file, state, elsewhere)
    output = app.fails()
    assert "the project's build directory cannot be used" in output
    assert "Not a directory" in output
    assert state.read_text()
    state.unlink()
    app.build_here()  # the next build adds what the first one in a new directory does not write


@pytest.mark.long
def test_each_path_by_itself(app: App, elsewhere: Elsewhere) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    for number in range(300):
        state = app.root / ".buildtool"
        paths = [path for each in (state, app.cache) for path in (*files(each), *folders(each))]
        path = chance.choice(paths)
        kind = chance.choice(FOR_FOLDERS if path.is_dir() else FOR_FILES)
        if kind is link and path.parent == app.cache:
            continue
        put(kind, path, elsewhere)
        if chance.random() < 0.5:
            app.edit_source()
        app.check_build()
        assert elsewhere.is_whole(), f"seed {seed}, round {number}: {kind.__name__} for {path}"
