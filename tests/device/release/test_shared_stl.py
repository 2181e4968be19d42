"""C++ between components: libraries of one, and the program of another that needs it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from buildtool.toolchains.system_libraries import SHARED_STL
from tests.command_line import REPOSITORY
from tests.project import Project

pytestmark = pytest.mark.long

SOURCES = REPOSITORY / "tests/integration/toolchains/across"
LIBRARIES = """\
cmake_minimum_required(VERSION 3.22)
project(libraries CXX)
add_compile_options(-O0)
add_library(base SHARED base.cpp)
add_library(middle SHARED middle.cpp)
target_link_libraries(middle PUBLIC base)
add_library(plugin MODULE plugin.cpp)
target_link_libraries(plugin PRIVATE middle)
install(TARGETS base middle plugin LIBRARY DESTINATION lib)
install(FILES across.h DESTINATION include)
"""
PROGRAM = """\
cmake_minimum_required(VERSION 3.22)
project(program CXX)
add_compile_options(-O0)
find_library(BASE base REQUIRED)
find_library(MIDDLE middle REQUIRED)
find_path(HEADERS across.h REQUIRED)
add_executable(across main.cpp)
target_include_directories(across PRIVATE ${HEADERS})
target_link_libraries(across PRIVATE ${MIDDLE} ${BASE})
install(TARGETS across)
"""
PROJECT = """\
[project]
name = "across"
[host.libraries]
source = "libraries"
[host.program]
source = "program"
needs = ["libraries"]
[target.sim]
platform = "ubuntu-aarch64"
"""


def test_components_have_one_cxx_library(tmp_path: Path) -> None:
    project = Project(tmp_path / "across")
    files = {"libraries/CMakeLists.txt": LIBRARIES, "program/CMakeLists.txt": PROGRAM}
    project.lay_out({**files, "buildtool.toml": PROJECT})
    for name in ("across.h", "base.cpp", "middle.cpp", "plugin.cpp"):
        shutil.copy(SOURCES / name, project.root / "libraries")
    shutil.copy(SOURCES / "main.cpp", project.root / "program")

    assert project.succeeds("run", "sim", "--", "bin/across") == "square 2.5\ngood\n"

    libraries = project.root / ".buildtool/release/sim/lib"
    names = {path.name for path in libraries.iterdir()}
    assert names == {"libbase.so", "libmiddle.so", "libplugin.so", SHARED_STL}
    shared = (libraries / SHARED_STL).read_bytes()
    assert bytes(project.root) not in shared

    project.forget("build", "state", "out", "release")
    project.succeeds("package", "--attest")
    assert (libraries / SHARED_STL).read_bytes() == shared  # of a cache
    assert not (project.root / ".buildtool/build").exists()
    (bill,) = (project.root / "dist").glob("*.cdx.json")
    row = {"dependsOn": ["pkg:pypi/ziglang@0.17.1"], "ref": f"file:lib/{SHARED_STL}"}
    assert row in json.loads(bill.read_text())["dependencies"]
