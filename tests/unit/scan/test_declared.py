"""Inputs that the project file declares: files, directories, globs, and their cost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from buildtool.drivers.cmake.scan.input_scanner import add_declared
from buildtool.drivers.cmake.scan.path_filter import InputCollector, PathFilter
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import PathSet, changes, observe
from buildtool.inputs.roots import Roots
from buildtool.plan.component_step import named_roots
from buildtool.project.model import STATE


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    return Roots({"project": tmp_path, "tree": tmp_path / STATE / "build/app/1234"})


def declared(roots: Roots, *patterns: str) -> PathSet:
    found = InputCollector(PathFilter(roots.directories["tree"], roots), FileStates())
    for pattern in patterns:
        add_declared(pattern, found)
    return found.paths


def calls(work: Callable[[], object]) -> int:
    """The number of function calls that `work` makes, including C functions."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event.endswith("call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", ["{}", "[[]{}", "absent/{}"])
def test_the_work_grows_with_the_number_of_entries_and_not_with_its_square(
    name: str, roots: Roots
) -> None:
    project = roots.directories["project"]
    work = []
    for count in (50, 200):
        folder = project / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / str(number)).touch()
            (folder / f"[{number}").touch()
        patterns = [f"{count}/{name.format(number)}" for number in range(count)]
        work.append(calls(partial(declared, roots, *patterns)))
    assert work[1] < 6 * work[0]


@pytest.mark.parametrize("pattern", [".", "./", "data", "data/", "./data//", "data/./"])
def test_all_spellings_of_a_directory_declare_what_is_in_it(pattern: str, roots: Roots) -> None:
    project = roots.directories["project"]
    (project / "data/deep").mkdir(parents=True)
    (project / STATE / "state").mkdir(parents=True)
    (project / "data/a").write_text("1")
    (project / "data/deep/b").write_text("1")
    paths = declared(roots, pattern)
    before = observe(paths, roots, FileStates())
    (project / STATE / "state/record").write_text("")
    assert not changes(before, observe(paths, roots, FileStates()))
    (project / "data/deep/b").write_text("2")
    (project / "data/deep/c").write_text("")
    assert {row.path for row in changes(before, observe(paths, roots, FileStates()))} == {
        "{project}/data/deep/b",
        "{project}/data/deep/c",
    }


def test_a_name_counts_by_what_is_there(roots: Roots) -> None:
    """The name may become that of a file, of a directory, or of nothing."""
    place = roots.directories["project"] / "thing"
    paths = declared(roots, "thing")
    seen = [observe(paths, roots, FileStates()).digest]
    place.mkdir()
    seen.append(observe(paths, roots, FileStates()).digest)
    place.rmdir()
    place.write_text("")
    seen.append(observe(paths, roots, FileStates()).digest)
    assert len(set(seen)) == 3


def test_what_is_above_the_project(tmp_path: Path) -> None:
    project = tmp_path / "one/app"
    for name in ("one/data/a", "one/data/deep/b", "one/x.h", "y.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    roots = named_roots(project, project / STATE / "build/app/1234", {})
    paths = declared(roots, "../data", "../*.h", "../../y.h", "../gone", f"{'../' * 40}tmp/gone")

    assert paths.files == (
        "/tmp/gone",
        "{parent1}/data",
        "{parent1}/data/a",
        "{parent1}/data/deep/b",
        "{parent1}/gone",
        "{parent1}/x.h",
        "{parent2}/y.h",
    )
    assert [glob.expression for glob in paths.globs] == ["{parent1}/*.h", "{parent1}/data/**"]
