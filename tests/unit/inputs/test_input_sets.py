"""Path sets and input sets: observing, serializing and comparing them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from buildtool.core.files import time_between_changes
from buildtool.core.trees import shared_copy
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.path_sets import (
    Change,
    InputsError,
    InputSet,
    PathSet,
    changed_since,
    changes,
    observe,
)
from buildtool.inputs.roots import RootError, Roots

PATHS = PathSet.of(
    ["{project}/a.c", "{project}/gone.c", "{project}/folder"],
    ["{project}/new.h", "{project}/a.c"],
    [Glob("{project}/*.c")],
)
EMPTY = InputSet(PathSet(), {}, (), {}).as_json()


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.c").write_text("one")
    return Roots({"project": tmp_path})


def test_what_changes(tmp_path: Path, roots: Roots) -> None:
    before = observe(PATHS, roots, FileStates())
    assert PATHS.absent == ("{project}/new.h",)
    assert before.digests["{project}/gone.c"] == ""
    assert before.digests["{project}/folder"] == "directory"
    assert before.found == {"GLOB {project}/*.c": ("{project}/a.c",)}
    same = observe(PATHS, roots, FileStates())
    assert same == before
    assert same.digest == before.digest
    assert changes(before, same) == ()

    (tmp_path / "a.c").write_text("two")
    (tmp_path / "gone.c").write_text("")
    (tmp_path / "new.h").write_text("")
    (tmp_path / "folder").rmdir()
    after = observe(PATHS, roots, FileStates())
    rows = changes(before, after)
    assert [(row.kind, row.path) for row in rows] == [
        ("changed", "{project}/a.c"),
        ("vanished", "{project}/folder"),
        ("appeared", "{project}/gone.c"),
        ("appeared", "{project}/new.h"),
        ("glob", "{project}/gone.c"),
    ]
    assert rows[0].old == before.digests["{project}/a.c"]
    assert rows[-1] == Change("glob", "{project}/gone.c", "", "GLOB {project}/*.c")
    assert after.digest != before.digest
    back = changes(after, before)
    assert {(row.kind, row.path) for row in back} >= {
        ("vanished", "{project}/new.h"),
        ("vanished", "{project}/gone.c"),
    }


def test_a_program_is_another_file(tmp_path: Path, roots: Roots) -> None:
    before = observe(PATHS, roots, FileStates())
    (tmp_path / "a.c").chmod(0o755)
    after = observe(PATHS, roots, FileStates())
    assert [row.kind for row in changes(before, after)] == ["changed"]


def test_another_clone_sees_the_same(tmp_path: Path, roots: Roots) -> None:
    other = tmp_path / "folder/clone"
    (other / "folder").mkdir(parents=True)
    (other / "a.c").write_text("one")
    there = observe(PATHS, Roots({"project": other}), FileStates())
    assert there.digest == observe(PATHS, roots, FileStates()).digest


def test_it_is_kept_as_json(roots: Roots) -> None:
    seen = observe(PATHS, roots, FileStates())
    kept = json.loads(json.dumps(seen.as_json()))
    assert InputSet.from_json(kept) == seen
    assert PathSet.from_json(json.loads(json.dumps(PATHS.as_json()))).digest == PATHS.digest


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (None, "TypeError"),
        ([], "TypeError"),
        ({}, "KeyError"),
        ({**EMPTY, "files": "{project}/a"}, "not a list"),
        ({**EMPTY, "files": ["{project}/b", "{project}/a"]}, "unsorted paths"),
        ({**EMPTY, "files": ["{project}/a", "{project}/a"]}, "unsorted paths"),
        ({**EMPTY, "files": ["relative"]}, "invalid path"),
        ({**EMPTY, "files": [""]}, "invalid path"),
        ({**EMPTY, "files": [7]}, "invalid path"),
        ({**EMPTY, "files": ["/a\0b"]}, "zero byte"),
        ({**EMPTY, "files": ["/" + "a" * 5000]}, "invalid path"),
        ({**EMPTY, "files": ["/a"]}, "different lengths"),
        ({**EMPTY, "files": ["/a"], "digests": [7]}, "a digest is not a string"),
        ({**EMPTY, "globs": [["/a", True]]}, "not a glob"),
        ({**EMPTY, "globs": [["/a", 1, False, False, False]]}, "not a glob"),
        ({**EMPTY, "globs": [["a", True, True, True, True]]}, "invalid path"),
        ({**EMPTY, "globs": [["/b", *[False] * 4], ["/a", *[False] * 4]]}, "unsorted globs"),
        ({**EMPTY, "globs": [["/a", *[False] * 4]]}, "different lengths"),
        ({**EMPTY, "digests": ["x"]}, "different lengths"),
        ({**EMPTY, "digests": {}}, "not a list"),
        ({**EMPTY, "found": [[]]}, "different lengths"),
        ({**EMPTY, "appeared": ["x"]}, "invalid path"),
    ],
)
def test_what_is_no_input_set_is_refused(broken: Any, why: str) -> None:
    with pytest.raises(InputsError) as caught:
        InputSet.from_json(broken)
    assert why in str(caught.value)


def test_an_unknown_root(tmp_path: Path) -> None:
    with pytest.raises(RootError):
        observe(PathSet(("{elsewhere}/x",)), Roots({"project": tmp_path}), FileStates())


def test_what_changed_in_the_meantime(tmp_path: Path, roots: Roots) -> None:
    later = time.time_ns() + 60_000_000_000
    assert changed_since(PATHS, roots, later) == ()
    assert changed_since(PATHS, roots, later - 120_000_000_000) == ("{project}/a.c",)
    os.utime(roots.path_of("{project}/a.c"), (2**31, 2**31))  # in 2038
    assert changed_since(PATHS, roots, later) == ()


def test_the_start_of_a_build_divides_changes(roots: Roots) -> None:
    """Also a build that starts as soon as another step has installed the file."""
    file, paths = roots.path_of("{project}/a.c"), PathSet.of(["{project}/a.c"])
    for number in range(20):
        Path(file).write_text(f"{number}", encoding="utf-8")
        start = time_between_changes()
        assert changed_since(paths, roots, start) == ()
        Path(file).chmod(0o600 + number % 2)
        assert changed_since(paths, roots, start) == ("{project}/a.c",)


def test_a_further_link_to_a_file_of_a_toolchain_is_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each cache on the machine has hard links to the files of an installed toolchain."""
    monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache"))
    installed, headers = tmp_path / "stdio.h", PathSet.of(["{zig}/stdio.h"])
    installed.write_text("one")
    os.utime(installed, (1, 1))
    copy = shared_copy("zig-1", {"stdio.h": installed})
    assert copy
    roots = Roots({"zig": copy})
    start = time.time_ns() - 1_000_000_000
    (tmp_path / "link").hardlink_to(installed)
    assert changed_since(headers, Roots({"zig": tmp_path}), start) == ("{zig}/stdio.h",)
    assert changed_since(headers, roots, start) == ()
    installed.write_text("two")
    assert changed_since(headers, roots, start) == ("{zig}/stdio.h",)


def test_roots(tmp_path: Path) -> None:
    roots = Roots({"project": Path("/p/x"), "tree": Path("/p/x/.b/t"), "zig": Path("/opt/zig/")})
    for path, name in {
        "/p/x": "{project}",
        "/p/x/a b.c": "{project}/a b.c",
        "/p/xy/a.c": "/p/xy/a.c",
        "/p/x/.b/t/CMakeFiles": "{tree}/CMakeFiles",
        "/opt/zig/lib": "{zig}/lib",
        "/opt": "/opt",
    }.items():
        assert roots.name_of(path) == roots.name_of(Path(path)) == name
        assert Path(roots.path_of(name)) == Path(path)
    for bad in ({"a b": Path("/")}, {"x": Path("relative")}, {"": Path("/")}):
        with pytest.raises(ValueError, match="invalid root"):
            Roots(bad)
    with pytest.raises(RootError):
        roots.path_of("{other}/x")
