"""Names of paths: in the project, above it, in the directories of tools, of the system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.drivers.cmake.scan.path_filter import PathFilter
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob, matches
from buildtool.inputs.roots import RootError, Roots, shown
from buildtool.plan.component_step import named_roots

NAMES = {
    "/w/one/app/a.c": "{project}/a.c",
    "/w/one/top.h": "{parent1}/top.h",
    "/w/one": "{parent1}",
    "/w/other/top.h": "{parent2}/other/top.h",
    "/w/one/app2/a.c": "{parent1}/app2/a.c",
    "/w2/top.h": "/w2/top.h",
    "/usr/include/stdio.h": "/usr/include/stdio.h",
    "/": "/",
}


@pytest.mark.parametrize(("path", "name"), NAMES.items())
def test_the_name_of_a_path(path: str, name: str) -> None:
    roots = named_roots(Path("/w/one/app"), Path("/w/one/app/.buildtool/build"), {})
    assert roots.name_of(path) == name
    assert roots.path_of(name) == path


def test_the_file_of_another_clone_has_the_same_name() -> None:
    one = named_roots(Path("/w/one/app"), Path("/w/one/app/tree"), {})
    two = named_roots(Path("/x/y/two/app"), Path("/x/y/two/app/tree"), {})
    assert two.path_of(one.name_of("/w/one/common/a.h")) == "/x/y/two/common/a.h"
    with pytest.raises(RootError):
        one.path_of(two.name_of("/x/a.h"))


def test_directories_of_the_system_are_no_parents() -> None:
    roots = named_roots(Path("/usr/src/app/part"), Path("/usr/src/app/part/tree"), {})
    assert roots.name_of("/usr/src/app/top.h") == "{parent1}/top.h"
    assert roots.name_of("/usr/include/stdio.h") == "/usr/include/stdio.h"
    assert not named_roots(Path("/app"), Path("/app/tree"), {}).parents


def test_no_directory_above_a_link_is_a_parent(tmp_path: Path) -> None:
    """`..` leads to the directory of the link's target."""
    (tmp_path / "real/app").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    roots = named_roots(tmp_path / "link/app", tmp_path / "link/app/tree", {})
    assert list(roots.parents.values()) == [str(tmp_path / "link")]


def test_a_tool_keeps_its_name(tmp_path: Path) -> None:
    """It is beside the project, above it, or the directory that the project is in."""
    for folder in ("sdk/examples/app", "beside", "sdk/incs"):
        (tmp_path / folder).mkdir(parents=True)
    tools = {"SDK": f"{tmp_path}/sdk", "BESIDE": f"{tmp_path}/beside"}
    for project in ("sdk/examples/app", "sdk/app"):
        roots = named_roots(tmp_path / project, tmp_path / project / "tree", tools)
        assert roots.name_of(tmp_path / "sdk/incs/a.h") == "{sdk}/incs/a.h"
        assert roots.name_of(tmp_path / "beside/a.h") == "{beside}/a.h"
        assert "sdk" in roots.directories
        assert not any(name.startswith("parent") for name in roots.directories)
    roots = named_roots(tmp_path / "sdk/examples/app", tmp_path / "tree", tools)
    assert roots.name_of(tmp_path / "sdk/examples/common.h") == "{parent1}/common.h"


def test_hidden_files_of_the_user_keep_their_paths() -> None:
    roots = Roots({"project": Path("/home/me/src/app")}, ["/home/me/src", "/home/me"], "/home/me")
    assert roots.name_of("/home/me/.local/bin/tool") == "/home/me/.local/bin/tool"
    assert roots.name_of("/home/me/common/a.h") == "{parent2}/common/a.h"
    assert roots.name_of("/home/me/src/.clang-format") == "{parent1}/.clang-format"
    project = Path("/home/me/.ci/app")
    hidden = Roots({"project": project}, ["/home/me/.ci", "/home/me"], "/home/me")
    assert hidden.name_of("/home/me/.ci/top.h") == "{parent1}/top.h"


def test_a_home_directory_that_is_a_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of CI services can have such a one: then its hidden files belong to the clone."""
    monkeypatch.setenv("HOME", str(tmp_path))
    hidden = f"{tmp_path}/.git/HEAD"
    assert named_roots(tmp_path / "app", tmp_path / "app/tree", {}).name_of(hidden) == hidden
    (tmp_path / ".git").mkdir()
    roots = named_roots(tmp_path / "app", tmp_path / "app/tree", {})
    assert roots.name_of(hidden) == "{parent1}/.git/HEAD"


def test_people_read_relative_paths() -> None:
    assert shown("{project}/a.c changed") == "a.c changed"
    assert shown("{parent1}/top.h appeared") == "../top.h appeared"
    assert shown("GLOB {parent2}/x/*.h") == "GLOB ../../x/*.h"
    assert shown("{sdk}/a.h, /usr/a.h") == "{sdk}/a.h, /usr/a.h"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project in the directory of a tool."""
    for folder in ("sdk/incs", "sdk/ex/app/.buildtool/build", "sdk/ex/common"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path / "sdk"


def test_the_inputs_of_a_project_in_the_directory_of_a_tool(place: Path) -> None:
    project = place / "ex/app"
    tree = project / ".buildtool/build"
    roots = named_roots(project, tree, {"SDK": str(place)})
    path_filter = PathFilter(tree, roots, [place])

    assert path_filter.name(f"{project}/a.c") == "{project}/a.c"
    assert path_filter.name(f"{project}/../common/a.h") == "{parent1}/common/a.h"
    assert path_filter.name(f"{place}/incs/a.h") is None  # the key of the step covers it
    assert path_filter.name(f"{tree}/a.o") is None
    assert path_filter.name(f"{project}/.buildtool/state/x") is None


def test_a_link_above_the_project_keeps_its_name(place: Path) -> None:
    """It moves with the clone; what it leads to need not."""
    project = place / "ex/app"
    (place.parent / "elsewhere").mkdir()
    (place / "ex/link").symlink_to(place.parent / "elsewhere")
    (place / "ex/tool").symlink_to(place / "incs")
    roots = named_roots(project, project / ".buildtool/build", {})
    path_filter = PathFilter(project / ".buildtool/build", roots, [place / "incs"])

    assert path_filter.name(f"{place}/ex/link/a.h") == "{parent1}/link/a.h"
    assert path_filter.name(f"{place}/ex/tool/a.h") is None
    assert path_filter.name(f"{project}/../link/../a.h") == "{parent1}/link/../a.h"


def test_a_glob_above_the_project(place: Path) -> None:
    (place / "ex/common/b.h").touch()
    (place / "ex/common/a.h").touch()
    roots = named_roots(place / "ex/app", place / "ex/app/.buildtool/build", {})
    found = matches(Glob("{parent1}/*/*.h"), roots, FileStates())
    assert found == ("{parent1}/common/a.h", "{parent1}/common/b.h")


def test_names_that_no_root_has() -> None:
    roots = Roots({"project": Path("/w/app")}, ["/w"])
    for name in ("{parent2}/a", "{parent}/a", "{parent1x}/a", "{parent-1}/a"):
        assert not roots.is_parent(name)
        with pytest.raises(RootError):
            roots.path_of(name)
    assert os.path.normpath(roots.path_of("{parent1}")) == "/w"
