"""Parsing the errors of tools; the outputs are modelled on real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buildtool.core.errors import Diagnostic
from buildtool.drivers.cmake.tool_messages import MAX_DIAGNOSTICS, diagnostics


@pytest.mark.parametrize(
    ("line", "file", "at", "message"),
    [
        ("/p/a.c:7:22: error: use of 'y'", "/p/a.c", (7, 22), "use of 'y'"),
        ("/p/my dir/a.c:7:2: fatal error: no x.h", "/p/my dir/a.c", (7, 2), "no x.h"),
        ("/p/../q/a.c:7: error: y", "/q/a.c", (7, None), "y"),
        ("a.c:7:22: error: y", "a.c", (7, 22), "y"),
        ("error: /p/a.idl:9:28: unknown type", "/p/a.idl", (9, 28), "unknown type"),
        ("ld.lld: error: undefined symbol: f", None, (None, None), "undefined symbol: f"),
        ("error: unknown CPU: 'armv8'", None, (None, None), "unknown CPU: 'armv8'"),
        ("ninja: error: 'x.c' missing", None, (None, None), "'x.c' missing"),
        (
            "/usr/bin/ld: /p/main.c:(.text+0x14): undefined reference to `g'",
            "/p/main.c",
            (None, None),
            "undefined reference to `g'",
        ),
    ],
)
def test_an_error_and_its_place(
    line: str, file: str | None, at: tuple[int | None, int | None], message: str
) -> None:
    assert diagnostics(line) == (Diagnostic(file, *at, message),)


@pytest.mark.parametrize(
    "line",
    [
        "a.c:3:5: warning: unused variable 'x'",
        "a.c:3:5: note: previous error: here",
        "    7 | return error: y;",
        "-- Looking for error: x",
        "FAILED: [code=1] a.o",
    ],
)
def test_what_is_no_error(line: str) -> None:
    assert diagnostics(line) == ()


def test_an_error_of_cmake() -> None:
    output = (
        "CMake Error at cmake/x.cmake:5 (find_package):\n  Could not find\n  X.\n\n"
        "  More of it.\nCall Stack (most recent call first):\n  CMakeLists.txt:3 (include)\n"
    )

    assert diagnostics(output) == (Diagnostic("cmake/x.cmake", 5, None, "Could not find X."),)


def test_a_relative_path_is_that_of_the_directory_that_has_it(tmp_path: Path) -> None:
    for name in ("tree/gen.c", "source/sub/a.c"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    output = "gen.c:1:1: error: a\n../source/sub/a.c:1:1: error: b\nsub/a.c:1:1: error: c\n"

    found = diagnostics(output, (tmp_path / "tree", tmp_path / "source"))

    source = str(tmp_path / "source/sub/a.c")
    assert [one.file for one in found] == [str(tmp_path / "tree/gen.c"), source, source]


def test_each_once_and_not_without_end() -> None:
    same = "x.h:1:1: error: e\n" * 5
    many = "".join(f"a.c:{n + 1}:1: error: {'e' * 5000}\n" for n in range(MAX_DIAGNOSTICS + 5))

    assert len(diagnostics(same)) == 1
    assert len(found := diagnostics(many)) == MAX_DIAGNOSTICS
    assert all(len(one.message) <= 1000 for one in found)


PIECES = [
    "a.c",
    ":1",
    ":",
    "error: ",
    "CMake Error at ",
    " (x):",
    "\n",
    "  ",
    "ld: ",
    ":(.t): ",
    "/",
]


@given(st.lists(st.sampled_from(PIECES)))
def test_no_output_is_too_strange(pieces: list[str]) -> None:
    for one in diagnostics("".join(pieces)):
        assert one.message
        assert one.file != ""
