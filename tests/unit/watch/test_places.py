"""Which directories are watched, and which names in them count."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots
from buildtool.plan.component_step import named_roots
from buildtool.watch.watch import WatchedPlaces, is_source


@pytest.fixture
def places(tmp_path: Path) -> WatchedPlaces:
    (tmp_path / "src/deep").mkdir(parents=True)
    (tmp_path / ".buildtool/out").mkdir(parents=True)
    return WatchedPlaces(str(tmp_path / ".buildtool"))


def test_a_file_counts_and_its_neighbours_do_not(places: WatchedPlaces, tmp_path: Path) -> None:
    places.add_file(f"{tmp_path}/src/a.c")
    assert places.counts(f"{tmp_path}/src", "a.c")
    assert places.counts(f"{tmp_path}/src", "")  # the directory was removed
    assert not places.counts(f"{tmp_path}/src", "b.c")
    assert not places.counts(f"{tmp_path}", "src")


def test_a_missing_directory_is_waited_for(places: WatchedPlaces, tmp_path: Path) -> None:
    paths = PathSet.of(absent=["{project}/first/below/a.h"])
    places.add_paths(paths, Roots({"project": tmp_path}))
    assert places.names == {str(tmp_path): {"first"}}


def test_outputs_and_devices_do_not_count(places: WatchedPlaces, tmp_path: Path) -> None:
    for path in (f"{tmp_path}/.buildtool/out/a", "/proc/self/maps", "/dev/null"):
        places.add_file(path)
    assert places.names == {}
    assert places.add_tree(f"{tmp_path}/.buildtool/out") == []


def test_a_link_counts_and_so_does_its_target(places: WatchedPlaces, tmp_path: Path) -> None:
    Path(tmp_path / "src/a.h").symlink_to("deep/b.h")
    places.add_file(f"{tmp_path}/src/a.h")
    assert places.counts(f"{tmp_path}/src", "a.h")
    assert places.counts(f"{tmp_path}/src/deep", "b.h")


def test_all_sources_of_a_tree_count(places: WatchedPlaces, tmp_path: Path) -> None:
    for name in ("build", ".git/objects", "more"):
        (tmp_path / "src" / name).mkdir(parents=True)
    (tmp_path / "src/build/CMakeCache.txt").touch()
    found = places.add_tree(f"{tmp_path}/src")
    assert sorted(found) == [f"{tmp_path}/src{name}" for name in ("", "/deep", "/more")]
    assert places.counts(f"{tmp_path}/src/deep", "new.c")
    assert not places.counts(f"{tmp_path}/src/deep", "new.c~")


@pytest.mark.parametrize(
    ("glob", "deep"),
    [
        (Glob("{project}/src/*.c"), False),
        (Glob("{project}/src/*.c", recursive=True), True),
        (Glob("{project}/src/*/a.c"), True),
        (Glob("{project}/src/**", deep=True), True),
    ],
)
def test_globs_watch_where_they_look(
    places: WatchedPlaces, tmp_path: Path, *, glob: Glob, deep: bool
) -> None:
    places.add_paths(PathSet.of(globs=[glob]), Roots({"project": tmp_path}))
    assert places.counts(f"{tmp_path}/src", "new.c")
    assert places.counts(f"{tmp_path}/src/deep", "a.c") is deep


@pytest.mark.parametrize(
    "name", ["a.c~", ".#a.c", "#a.c#", ".a.c.swp", ".a.c.swx", "4913", "a.orig", ".git"]
)
def test_backups_are_no_sources(name: str) -> None:
    assert not is_source(name)


@pytest.mark.parametrize("name", ["a.c", "CMakeLists.txt", ".clang-format", "template", "a.swp"])
def test_other_names_are(name: str) -> None:
    assert is_source(name)


def test_what_is_above_the_project_counts(tmp_path: Path) -> None:
    project = tmp_path / "one/app"
    for folder in ("one/common", "one/parts", "one/app"):
        (tmp_path / folder).mkdir(parents=True)
    roots = named_roots(project, project / ".buildtool/build", {})
    places = WatchedPlaces(str(project / ".buildtool"))
    globs = [Glob("{parent1}/parts/*.c")]
    places.add_paths(PathSet.of(["{parent1}/common/a.h"], ["{parent2}/gone.h"], globs), roots)
    assert places.counts(f"{tmp_path}/one/common", "a.h")
    assert places.counts(f"{tmp_path}", "gone.h")
    assert places.counts(f"{tmp_path}/one/parts", "new.c")
    assert not places.counts(f"{tmp_path}/one", "new.c")
