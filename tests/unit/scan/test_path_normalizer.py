"""Different spellings of a path: one file is one input."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from buildtool.drivers.cmake.file_api import BuildTree, CMakeTarget, CompileGroup
from buildtool.drivers.cmake.scan.path_filter import InputCollector, PathFilter, PathNormalizer
from buildtool.drivers.cmake.scan.shadows import Shadows
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import changes, observe
from buildtool.inputs.roots import Roots
from tests.conftest import LONG

FILES = ("src/a.c", "src/sub/deep/h.h", "src/sub/h.h", "inc/h.h", "inc/sub/h.h", "\u00e9", "h.h")
DIRECTORIES = ("e\u0301", "SRC", "-empty", "other/sub")
LINKS = {
    "link": "src/sub",
    "inc/up": "..",
    "src/inc": "../inc/sub",
    "to file": "h.h",
    "dangling": "nothing",
    "loop": "loop",
    "away": "../outside/sub",
}
PARTS = st.sampled_from(
    [
        *("", ".", "..", "..", "src", "sub", "deep", "inc", "h.h", "link", "up", "to file"),
        *(
            "dangling",
            "loop",
            "away",
            "missing",
            "SRC",
            "\u00e9",
            "e\u0301",
            "-empty",
            ".buildtool",
        ),
    ]
)
PATHS = st.lists(PARTS, max_size=7).map("/".join)
WALKS = st.lists(st.integers(0, 99), max_size=7)
FEWER = settings(max_examples=40) if not LONG else settings()


@contextmanager
def project() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder)) / "project"
        for name in DIRECTORIES:
            (root / name).mkdir(parents=True)
        for name in (*FILES, "../outside/h.h", "../outside/sub/h.h"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)
        for name, target in LINKS.items():
            (root / name).symlink_to(target)
        (root / "inc/out").symlink_to(root.parent / "outside")
        yield root


def lead_elsewhere(root: Path) -> None:
    """Make all symlinks point to other directories."""
    for name in LINKS:
        (root / name).unlink()
        (root / name).symlink_to(root / "other/sub")


def file(path: str) -> tuple[int, int] | None:
    """Device and inode, to compare files; None if there is no file."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_dev, status.st_ino


def roots(root: Path) -> Roots:
    return Roots({"project": root, "tree": root / ".buildtool/build/app/1234"})


def new_collector(root: Path) -> InputCollector:
    return InputCollector(PathFilter(roots(root).directories["tree"], roots(root)), FileStates())


@FEWER
@given(PATHS)
@example("src/..")
@example("missing/..")
@example("h.h/..")
@example("link/../h.h")
@example("inc/up/")
@example("../../../../../..")
def test_a_normalized_path_names_the_same_file(path: str) -> None:
    with project() as root:
        spelled = f"{root}/{path}"
        file_states = FileStates()
        assert file_states.exists(spelled) == os.path.lexists(spelled)
        assert bool(file_states.state(spelled)) == os.path.exists(spelled)  # noqa: PTH110
        place = PathNormalizer().normalize(spelled)
        parts = place.path.split("/")[1:]
        assert not {"", "."} & {*parts} or place.path == "/"
        for at, part in enumerate(parts):
            assert part != ".." or parts[at - 1] == ".." or Path("/", *parts[:at]).is_symlink()
        if place.missing_directory:
            assert not os.path.lexists(spelled)
            assert not Path(place.missing_directory).is_dir()
        elif not path.endswith("/."):  # `file/.` is normalized to `file`
            assert file(spelled) in (file(place.path), None)
        if not place.missing_directory and os.path.exists(spelled):  # noqa: PTH110
            assert file(spelled) == file(place.path)
            lead_elsewhere(root)
            assert file(spelled) == file(place.path), "the links still decide"


@FEWER
@given(WALKS)
def test_every_spelling_of_a_file_is_an_input(choices: list[int]) -> None:
    with project() as root:
        spelled = f"{walk(root, choices)}/h.h"
        (real := Path(os.path.realpath(spelled))).write_text("first")
        found = new_collector(root)
        found.add_content(spelled)
        before = observe(found.paths, roots(root), FileStates())
        assert [file(roots(root).path_of(name)) for name in found.files] == [file(spelled)]
        real.write_text("second", encoding="utf-8")
        assert changes(before, observe(found.paths, roots(root), FileStates()))
        real.unlink()
        assert changes(before, observe(found.paths, roots(root), FileStates()))


def walk(root: Path, choices: list[int]) -> str:
    """A spelling of an existing directory, inside or outside of the project."""
    path = str(root)
    for choice in choices:
        names = sorted(n for n in os.listdir(path) if os.path.isdir(f"{path}/{n}"))  # noqa: PTH112, PTH208
        up = os.path.realpath(path).startswith(f"{root.parent}/")
        names += ["", ".", *([".."] * 4 if up else [])]
        path += f"/{names[choice % len(names)]}"
    return path


@FEWER
@given(PATHS)
@example("missing/../h.h")
@example("missing/../new.h")
@example("src/missing/../../missing/../h.h")
@example("link/../new.h")
def test_what_is_looked_for_in_vain_is_noticed_when_it_appears(path: str) -> None:
    with project() as root:
        spelled = f"{root}/{path}/new"
        assume(not os.path.lexists(spelled))
        found = new_collector(root)
        found.add_existence(spelled)
        assume(found.paths != new_collector(root).paths)  # files below .buildtool are not inputs
        before = observe(found.paths, roots(root), FileStates())
        assert not before.appeared
        try:
            create(spelled)
        except OSError:  # a file or a dangling symlink is in the way
            return
        assert os.path.lexists(spelled)
        assert changes(before, observe(found.paths, roots(root), FileStates()))


def create(path: str) -> None:
    """Create every directory on the path, then the file."""
    place = "/"
    for part in path.split("/")[:-1]:
        place = f"{place}{part}/"
        if not os.path.isdir(place):  # noqa: PTH112
            os.mkdir(place)  # noqa: PTH102
    Path(path).write_text("", encoding="utf-8")


@FEWER
@given(PATHS, WALKS)
@example("src/..", [])
@example("missing/..", [])
@example("link/..", [])
@example("src/../src//./sub/", [])
def test_a_header_that_appears_in_an_earlier_directory(first: str, choices: list[int]) -> None:
    """For every spelling of both include directories."""
    with project() as root:
        directories = f"{root}/{first}", walk(root, choices)
        header, earlier = f"{directories[1]}/new.h", f"{directories[0]}/new.h"
        Path(header).write_text("", encoding="utf-8")
        assume(not os.path.lexists(earlier))
        found = new_collector(root)
        path_filter = found.path_filter
        headers = (f"{root}/src/a.c", path_filter.normalizer.path(header))
        built = tree(root, *directories)
        Shadows(built, {"/main.o": headers}, path_filter).add_to(found, sys.maxsize)
        absent = found.absent
        assert not any(os.path.lexists(roots(root).path_of(name)) for name in absent)
        missing = path_filter.normalizer.normalize(earlier).missing_directory
        if not path_filter.name(missing or earlier):  # the build creates it
            return
        try:
            create(earlier)
        except OSError:  # a file or a dangling symlink is in the way
            return
        appeared = [path for name in absent if os.path.lexists(path := roots(root).path_of(name))]
        assert appeared


@FEWER
@given(PATHS, WALKS)
@example("src/..", [])
@example("missing/..", [])
@example("link/..", [])
@example("src/../src//./sub/", [])
def test_a_tested_header_that_appears(below: str, choices: list[int]) -> None:
    """For every spelling of the include directory and of the name."""
    with project() as root:
        directory, found = walk(root, choices), new_collector(root)
        name = f"{below}/new.h".lstrip("/")
        header, source = f"{directory}/{name}", f"{root}/src/a.c"
        Path(source).write_text(f'#if __has_include("{name}")\n', encoding="utf-8")
        assume(not os.path.lexists(header))
        built = tree(root, directory)
        Shadows(built, {"/main.o": (source,)}, found.path_filter).add_to(found, sys.maxsize)
        missing = found.path_filter.normalizer.normalize(header).missing_directory
        if not found.path_filter.name(missing or header):  # the build creates it
            return
        try:
            create(header)
        except OSError:  # a file or a dangling symlink is in the way
            return
        paths = map(roots(root).path_of, found.absent)
        appeared = [path for path in paths if os.path.lexists(path)]
        assert appeared


def tree(root: Path, *includes: str) -> BuildTree:
    source = root / "src/a.c"
    group = CompileGroup("C", (source,), (" ".join(f"'-I{d}'" for d in includes),), (), (), ())
    target = CMakeTarget("main", "EXECUTABLE", root, root, (), (source,), (group,), "C", ())
    return BuildTree(root, root / ".buildtool/build/app/1234", (target,), {})


@pytest.mark.parametrize("directory", ["/", "/usr", "/usr/", "/usr/.."])
def test_a_directory_at_the_top_is_there(directory: str, tmp_path: Path) -> None:
    path_filter = PathFilter(tmp_path / "tree", Roots({"project": tmp_path}))
    headers = (f"{tmp_path}/src/a.c", "/usr/include/none/such.h")
    shadows = Shadows(tree(tmp_path, directory, "/usr/include"), {"/main.o": headers}, path_filter)
    found = InputCollector(path_filter, FileStates())
    shadows.add_to(found, sys.maxsize)
    assert not {"/", "/usr"} & found.absent


def test_a_link_in_the_build_tree_stands_for_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include/a.h").touch()
    found = new_collector(tmp_path)
    build = Path(found.path_filter.tree)
    build.mkdir(parents=True)
    (build / "made.h").touch()
    (build / "alias.h").symlink_to("made.h")
    (build / "a.h").symlink_to(tmp_path / "include/a.h")
    (build / "inc").symlink_to(tmp_path / "include")
    for name in ("made.h", "alias.h", "nothing.h"):
        found.add_content(f"{build}/{name}")
    assert not found.files
    for name in ("a.h", "inc/a.h", "inc/../include/a.h"):
        found.add_content(f"{build}/{name}")
        assert found.files == {"{project}/include/a.h"}
        found.files.clear()


def test_what_a_rule_makes_is_an_input_only_where_it_is_a_link_to_one(tmp_path: Path) -> None:
    for name in ("source.h", "copy.h"):
        (tmp_path / name).touch()
    (tmp_path / "link.h").symlink_to("source.h")
    (tmp_path / "alias.h").symlink_to("copy.h")
    made = [f"{tmp_path}/{name}" for name in ("copy.h", "link.h", "alias.h")]
    path_filter = PathFilter(tmp_path / "tree", Roots({"project": tmp_path}), rule_outputs=made)
    assert [path_filter.name(path) for path in made] == [None, "{project}/source.h", None]
    through = tmp_path.parent / f"{tmp_path.name} link"
    through.symlink_to(tmp_path)
    made = [f"{through}/{name}" for name in ("copy.h", "link.h", "alias.h")]
    path_filter = PathFilter(through / "tree", Roots({"project": through}), rule_outputs=made)
    assert [path_filter.name(path) for path in made] == [None, "{project}/source.h", None]
    shutil.rmtree(tmp_path)
