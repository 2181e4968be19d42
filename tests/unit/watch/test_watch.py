"""Events of directories, by inotify and by looking at them: the same for both."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from buildtool.watch.polling import Inotify, Polling
from buildtool.watch.watch import Watch, WatchedPlaces

Source = Inotify | Polling


@pytest.fixture(params=[Inotify, Polling])
def source(request: pytest.FixtureRequest) -> Iterator[Source]:
    with closing(request.param()) as source:
        yield source


def names(source: Source, expected: set[str]) -> set[str]:
    """The names of events, when those that are expected have come, or after some seconds."""
    found: set[str] = set()
    with Selecting(source) as wait:
        while not expected <= found and wait(5):
            found |= {name for _, name in source.read()}
    return found


class Selecting:
    """Waits until a source can be read."""

    def __init__(self, source: Source) -> None:
        import selectors

        self._selector = selectors.DefaultSelector()
        self._selector.register(source, selectors.EVENT_READ)

    def __enter__(self) -> Callable[[float], bool]:
        return lambda seconds: bool(self._selector.select(seconds))

    def __exit__(self, *_: object) -> None:
        self._selector.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "new").write_text("x"),
        lambda folder: (folder / "old").write_text("longer"),
        lambda folder: (folder / "old").unlink(),
        lambda folder: (folder / "old").rename(folder / "new"),
        lambda folder: (folder / "old").chmod(0o700),
        lambda folder: (folder / "new").mkdir(),
    ],
)
def test_changes_are_seen(source: Source, tmp_path: Path, change: Callable[[Path], object]) -> None:
    (tmp_path / "old").write_text("text")
    before = set(os.listdir(tmp_path))  # noqa: PTH208
    source.watch([str(tmp_path), str(tmp_path / "missing")])
    change(tmp_path)
    changed = before ^ set(os.listdir(tmp_path)) or {"old"}  # noqa: PTH208
    assert names(source, changed) >= changed


def test_only_the_last_directories_are_watched(source: Source, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    source.watch([str(tmp_path / "a")])
    source.watch([str(tmp_path / "b")])
    (tmp_path / "a" / "first").touch()
    (tmp_path / "b" / "second").touch()
    assert names(source, {"second"}) == {"second"}


def test_files_in_a_new_directory_are_seen(tmp_path: Path) -> None:
    places = WatchedPlaces(str(tmp_path / ".buildtool"))
    places.add_tree(str(tmp_path))
    with Watch(print) as watch:
        watch.watch(places)
        (tmp_path / "new").mkdir()
        assert watch.changed() == (str(tmp_path / "new"),)
        (tmp_path / "new" / "a.c").touch()
        (tmp_path / "new" / "a.c~").touch()
        assert watch.changed() == (str(tmp_path / "new" / "a.c"),)
        assert watch.changed() == ()


def test_a_directory_that_is_made_again_is_watched_again(tmp_path: Path) -> None:
    places = WatchedPlaces(str(tmp_path / ".buildtool"))
    (tmp_path / "src").mkdir()
    places.add_tree(str(tmp_path))
    with Watch(print) as watch:
        watch.watch(places)
        (tmp_path / "src").rmdir()
        watch.changed()
        (tmp_path / "src").mkdir()
        watch.changed()
        (tmp_path / "src" / "a.c").touch()
        assert watch.changed() == (str(tmp_path / "src" / "a.c"),)
