"""Commands of CMake files, from traces and from texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from buildtool.propose.cmake_tree import (
    CMakeCall,
    CMakeTree,
    directory_of,
    traced_calls,
    written_calls,
)

STEP = "externalproject_add"


def row(file: str, cmd: str, *args: str) -> str:
    fields = {"args": args, "cmd": cmd, "file": file, "line": 7, "frame": 1}
    return json.dumps(fields, separators=(",", ":")) + "\n"


def test_a_trace_tells_what_was_run_of_the_tree(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_text(
        '{"version": {"major": 1}}\n'
        + row("/tree/CMakeLists.txt", "project", "app", "VERSION", "1.2")
        + row("/tree/CMakeLists.txt", "set", "a", "b")
        + row("/tree/CMakeLists.txt", "build_it", "a.idl", "x")
        + row("/cmake/Modules/a.cmake", "if", "A")
        + row("/tree/sub/a.cmake", "ExternalProject_Add", "z", "CMAKE_ARGS", "-DA:STRING=v68;-DB")
        + '{"args":["x"],"cmd":"project","file":3,"line":1}\n'
        + '{"args":["cut","cmd":"project"'
    )

    project, idl, step = traced_calls(trace, Path("/tree"))

    assert project == CMakeCall("CMakeLists.txt", 7, "project", ("app", "VERSION", "1.2"))
    assert project.after("VERSION") == "1.2"
    assert project.after("LANGUAGES") == ""
    assert idl.name == "build_it"
    assert (step.where, step.name, step.definitions) == ("sub/a.cmake:7", STEP, {"A": "v68"})
    assert traced_calls(tmp_path / "none", Path("/tree")) == ()


def test_a_text_tells_what_might_be_run() -> None:
    text = 'if(X)\nExternalProject_Add(z\n  SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}/z" $<A:(b)>)\n'
    tree = CMakeTree(Path("/tree"), {"sub/CMakeLists.txt": text, "b.cmake": "unproject(a)"}, (), ())

    (call,) = written_calls(tree)

    words = ("z", "SOURCE_DIR", "/tree/sub/z", "$<A:(b)>")
    assert call == CMakeCall("sub/CMakeLists.txt", 2, STEP, words)


@pytest.mark.parametrize(
    ("word", "folder"),
    [
        ("/tree", "."),
        ("/tree/a/../b/", "b"),
        ("c", "sub/c"),
        ("..", "."),
        ("../..", ""),
        ("/treetop", ""),
        ("${X}/a", ""),
        ("", ""),
    ],
)
def test_the_directory_that_a_word_names(word: str, folder: str) -> None:
    call = CMakeCall("sub/CMakeLists.txt", 1, "add_subdirectory", (word,))
    assert directory_of(call, word, Path("/tree")) == folder
