"""Parsing traces and configure logs of CMake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from buildtool.drivers.cmake.scan.configure_log import add_searches, read_events
from buildtool.drivers.cmake.scan.path_filter import InputCollector, PathFilter
from buildtool.drivers.cmake.scan.trace import TraceError, read_trace
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.globs import Glob
from buildtool.inputs.roots import Roots


@pytest.fixture
def found(tmp_path: Path) -> InputCollector:
    roots = Roots({"project": tmp_path / "p", "tree": tmp_path / "p/.buildtool/t"})
    (tmp_path / "p").mkdir()
    return InputCollector(PathFilter(tmp_path / "p/.buildtool/t", roots), FileStates())


def trace(folder: Path, *rows: tuple[int, int, str, str, list[Any]]) -> Path:
    """A trace; rows are frame, global frame, file below the project, command, arguments."""
    lines: list[Any] = [{"version": {"major": 1, "minor": 2}}]
    for frame, level, file, command, arguments in rows:
        lines.append({"args": arguments, "cmd": command, "file": f"{folder}/p/{file}"})
        lines[-1] |= {"frame": frame, "global_frame": level, "line": 1, "time": 1.0}
    path = folder / "trace"
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return path


def test_relative_paths_belong_to_the_directory_that_is_read(
    tmp_path: Path, found: InputCollector
) -> None:
    (tmp_path / "p/other").mkdir()
    read = ("file", ["READ", "x", "v"])
    path = trace(
        tmp_path,
        (1, 1, "CMakeLists.txt", *read),
        (2, 2, "tools/functions.cmake", "file", ["READ", "y", "v"]),
        (2, 3, "tools/more.cmake", "set", ["a"]),  # not relevant
        (1, 2, "sub/CMakeLists.txt", *read),
        (1, 3, "sub/deep/CMakeLists.txt", "set", ["nothing", "of", "ours"]),
        (2, 4, "tools/functions.cmake", *read),
        (2, 3, "tools/functions.cmake", "file", ["READ", "y", "v"]),
        (1, 2, "other/CMakeLists.txt", "FILE", ["READ", "../z", "v"]),
        (2, 2, "tools/functions.cmake", "file", ["READ", "w", "v"]),
    )
    read_trace(path, found, f"{tmp_path}/p")
    assert sorted(found.files) == [
        f"{{project}}/{name}" for name in ("sub/deep/x", "sub/x", "sub/y", "w", "x", "y", "z")
    ]


def test_conditions(tmp_path: Path, found: InputCollector) -> None:
    (tmp_path / "p/there [1]").touch()
    (tmp_path / "p/folder").mkdir()
    (tmp_path / "p/dangling").symlink_to("nothing")
    place = f"{tmp_path}/p"
    words = ["NOT", "(", "EXISTS", f"{place}/absent", "OR", "EXISTS", f"{place}/there [1]", ")"]
    words += ["AND", "IS_DIRECTORY", f"{place}/folder", "AND", "EXISTS", f"{place}/dangling"]
    words += ["OR", f"{place}/new", "IS_NEWER_THAN", f"{place}/old", "OR", "EXISTS"]
    words_2 = ["EXISTS", "", "AND", "EXISTS", f"{place}/.buildtool/t/made"]
    path = trace(
        tmp_path,
        (1, 1, "CMakeLists.txt", "if", words),
        (1, 1, "CMakeLists.txt", "elseif", words_2),
        (1, 1, "CMakeLists.txt", "message", ["EXISTS", f"{place}/said"]),
    )
    read_trace(path, found, place)
    assert found.files == {f"{{project}}/{n}" for n in ("folder", "dangling", "new", "old")}
    assert found.absent == {"{project}/absent"}
    assert found.globs == {Glob("{project}/there [[]1]")}


def test_caches_of_other_trees(tmp_path: Path, found: InputCollector) -> None:
    words = ["a", f"{tmp_path}/p/b", "READ_WITH_PREFIX", "X_", "c"]
    path = trace(tmp_path, (1, 1, "CMakeLists.txt", "load_cache", words))
    read_trace(path, found, f"{tmp_path}/p")
    assert found.files == {"{project}/a/CMakeCache.txt", "{project}/b/CMakeCache.txt"}


@pytest.mark.parametrize("command", ["file", "include", "if", "configure_file", "find_package"])
def test_any_arguments_are_borne(tmp_path: Path, found: InputCollector, command: str) -> None:
    kinds = ("GLOB", "GLOB_RECURSE", "READ", "COPY", "INSTALL", "GENERATE", "SHA256", "EXISTS")
    rows: list[list[str]] = (
        [[]] + [[k] for k in kinds] + [[k, ""] for k in kinds] + [[k, "x", "INPUT"] for k in kinds]
    )
    rows += [[k, "x", "LIST_DIRECTORIES"] for k in kinds] + [[k, "\0", "a" * 10_000] for k in kinds]
    path = trace(tmp_path, *((1, 1, "CMakeLists.txt", command, row) for row in rows))
    read_trace(path, found, f"{tmp_path}/p")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}\n",
        '{"version":1}\n{"frame":1,}\n',
        '{"version":1}\n{"frame":1,"x":2}\n',
        '{"version":1}\n["cmd","file",{"frame":1,"cmd":"file"}]\n',
        '{"version":1}\n{"args":[1],"cmd":"file","file":"/x","frame":1,"global_frame":1}\n',
        '{"version":1}\n{"args":7,"cmd":"file","file":"/x","frame":1,"global_frame":1}\n',
        '{"version":1}\n{"args":[],"cmd":"file","file":"/x","frame":1,"global_frame":99999999}\n',
        '{"version":1}\n{"args":[],"cmd":"file","file":"/x","frame":0,"global_frame":1}\n',
        '{"version":1}\n{"args":[],"cmd":"file","file":"/x","frame":"1",',
        '{"version":1}\n"frame":1,' + "[" * 100_000 + "\n",
    ],
)
def test_a_broken_trace_is_an_error(tmp_path: Path, found: InputCollector, text: str) -> None:
    (tmp_path / "trace").write_text(text)
    with pytest.raises(TraceError):
        read_trace(tmp_path / "trace", found, "/")
    with pytest.raises(TraceError):
        read_trace(tmp_path / "nowhere", found, "/")


LOG = """\
---
events:
  -
    kind: "find-v1"
    backtrace:
      - "/cmake/Modules/CMakeDetermineSystem.cmake:12 (find_program)"
    mode: "program"
    names:
      - "uname"
    searched_directories:
      - "{p}/probe"
    found: "{p}/probed"
  -
    kind: "find-v1"
    backtrace:
      - "/cmake/Modules/CMakeFindDependencyMacro.cmake:3 (find_program)"
    mode: "program"
    names:
      - "tool"
    searched_directories:
      - "{p}/a b\\\\\\"/tool"
    found: "{p}/tool"
  -
    kind: "find-v1"
    mode: "library"
    names:
      - "m"
    searched_directories:
      - "{p}/lib/"
    found: false
  -
    kind: "message-v1"
    message: |
      found: "{p}/lie"
  -
    kind: "find_package-v1"
    name: "Foo"
    settings:
      names:
        - "Foo"
      hints:
        - "{p}/hint"
    candidates:
      -
        path: "{p}/FooConfig.cmake"
        mode: "config"
        reason: "no_exist"
    found: null
    search_context:
      ENV{{PATH}}:
        - "{p}/bin"
      CMAKE_PREFIX_PATH: "{p}/prefix"
...
"""


def test_where_cmake_looked(tmp_path: Path, found: InputCollector) -> None:
    (tmp_path / "log").write_text(LOG.format(p=tmp_path / "p"))
    add_searches(read_events(tmp_path / "log"), found)
    assert found.files == {"{project}/tool"}
    assert found.absent == {
        *('{project}/a b\\"/tool', "{project}/FooConfig.cmake"),
        *("{project}/lib/m", "{project}/lib/libm.so", "{project}/lib/libm.a"),
    }
    places = {"/".join(glob.expression.split("/")[:2]) for glob in found.globs}
    assert places == {"{project}/hint", "{project}/prefix"}
    add_searches(read_events(tmp_path / "nowhere"), found)
    (tmp_path / "log").write_bytes(
        b'    kind: "find-v1"\n    found: "\xff\n      - "\n    names:\n'
    )
    add_searches(read_events(tmp_path / "log"), found)
