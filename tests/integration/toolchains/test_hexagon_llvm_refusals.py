"""Skels that open LLVM cannot compile are refused, with the reason and a remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Buildtool, Edit

LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(demo C CXX)
find_package(Buildtool REQUIRED)
buildtool_add_skel(demo_skel IDL demo.idl SOURCES imp.cpp)
install(TARGETS demo_skel LIBRARY DESTINATION .)
# more
"""
IMP = """\
#include "demo.h"
struct Base { virtual ~Base(); };
struct Op : Base { int x; };
Base *base;
extern "C" int demo_add(int a) { return a; }
"""
PROJECT = """\
[project]
name = "demo"
[skel.demo]
source = "dsp"
[target.sim]
platform = "ubuntu-aarch64"
dsp-toolchain = "llvm"
archs = ["v68"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "a project"
    (root / "dsp").mkdir(parents=True)
    (root / "buildtool.toml").write_text(PROJECT)
    (root / "dsp/CMakeLists.txt").write_text(LISTS)
    (root / "dsp/demo.idl").write_text("interface demo { long add(in long a); };")
    (root / "dsp/imp.cpp").write_text(IMP)
    return root


def refusal(root: Path, buildtool: Buildtool) -> dict[str, Any]:
    done = buildtool("build", "--json", cwd=root)
    assert done.returncode != 0, done.stdout
    error: dict[str, Any] = json.loads(done.stdout)["error"]
    return error


def compiled(root: Path) -> list[Path]:
    return list(root.glob(".buildtool/build/demo/*/CMakeFiles/demo_skel.dir/**/*.obj"))


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        ("-fexceptions", "C++ exceptions need a runtime that no DSP shell has"),
        ("-frtti", "C++ RTTI needs a runtime"),
        ("-mhmx", "open LLVM does not support HMX"),
        ("-mhmx=v68", "open LLVM does not support HMX"),
    ],
)
def test_a_flag_that_asks_for_it_is_refused_before_the_build(
    flag: str, reason: str, root: Path, buildtool: Buildtool, edit: Edit
) -> None:
    edit(root / "dsp/CMakeLists.txt", "# more", f"target_compile_options(demo_skel PRIVATE {flag})")
    edit(root / "buildtool.toml", 'archs = ["v68"]', 'archs = ["v68"]\nstrict-isa = true')

    error = refusal(root, buildtool)

    assert error["code"] == "profile"
    assert error["message"].startswith(
        f"demo_skel asks for {flag.partition('=')[0]}, which hexagon"
    )
    assert reason in error["why"]
    assert "demo_skel.c" in error["why"] or "imp.cpp" in error["why"]
    assert 'dsp-toolchain = "sdk"' in error["remedy"]
    assert compiled(root) == []


def test_a_flag_that_is_added_later_is_refused_before_the_build(
    root: Path, buildtool: Buildtool, edit: Edit
) -> None:
    assert buildtool("build", cwd=root).returncode == 0
    objects = {file: file.stat().st_mtime_ns for file in compiled(root)}
    assert objects
    edit(
        root / "dsp/CMakeLists.txt",
        "# more",
        "set_source_files_properties(imp.cpp PROPERTIES COMPILE_OPTIONS -fexceptions)",
    )

    for _ in range(2):
        assert "asks for -fexceptions" in refusal(root, buildtool)["message"]
    assert {file: file.stat().st_mtime_ns for file in compiled(root)} == objects

    edit(root / "dsp/CMakeLists.txt", "COMPILE_OPTIONS -fexceptions", "COMPILE_OPTIONS -Wall")
    assert buildtool("build", cwd=root).returncode == 0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if (a) throw 1; return a;", "C++ exceptions need"),
        ("try { return a; } catch (...) { return 1; }", "C++ exceptions need"),
        ("return dynamic_cast<Op *>(base) != nullptr;", "C++ RTTI needs"),
    ],
)
def test_a_source_that_uses_it_gets_the_remedy(
    body: str, reason: str, root: Path, buildtool: Buildtool, edit: Edit
) -> None:
    edit(root / "dsp/imp.cpp", "return a;", body)

    error = refusal(root, buildtool)

    assert error["code"] == "tool-failed"
    assert "imp.cpp:5:" in error["why"]
    assert error["remedy"].startswith(reason)
    assert 'dsp-toolchain = "sdk"' in error["remedy"]
