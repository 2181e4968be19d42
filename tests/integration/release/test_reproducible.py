"""`package --verify-reproducible`: what it reports of builds that are not reproducible."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.project import Project

FILES = {
    "buildtool.toml": """
[project]
name = "twice"

[host.app]
source = "."

[target.sim]
platform = "ubuntu-aarch64"
""",
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_library(app SHARED app.c)
target_compile_options(app PRIVATE -Wno-date-time)
install(TARGETS app LIBRARY DESTINATION lib)
include(more.cmake)
""",
    "more.cmake": "",
    "app.c": "const char *made(void) { return __FILE__; }\n",
}


def project(root: Path, **files: str) -> Project:
    made = Project(root / "a project")
    made.lay_out(FILES)
    for name, text in files.items():
        made.write(name.replace("_", "."), text)
    return made


@pytest.mark.long
def test_a_reproducible_project_with_a_pipe_and_the_directory_for_temporary_files(
    tmp_path: Path,
) -> None:
    made = project(tmp_path)
    os.mkfifo(made.root / "pipe")
    temporary = made.root / "tmp"
    temporary.mkdir()
    made.variables["TMPDIR"] = str(temporary)
    printed = made.succeeds("package", "--verify-reproducible")
    assert printed.endswith("a second build, elsewhere and without caches, made the same bytes\n")
    assert list(temporary.iterdir()) == []


@pytest.mark.long
def test_a_project_in_a_directory_of_a_repository(tmp_path: Path) -> None:
    """With an archive in the repository, and then with changes."""
    from tests.integration.release.test_package import git

    made = project(tmp_path)
    made.succeeds("package")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        git(tmp_path, *arguments)
    made.succeeds("package", "--verify-reproducible")
    made.edit("app.c", "made", "changed")
    made.succeeds("package", "--verify-reproducible")


def test_what_a_project_reads_above_its_directory(tmp_path: Path) -> None:
    made = project(
        tmp_path / "deep",
        more_cmake="include(../../more.cmake)\ntarget_include_directories(app PRIVATE ../common)\n",
        app_c='#include "here.h"\nconst char *made(void) { return FILE; }\n',
    )
    made.write("../../more.cmake", "")
    made.write("../common/here.h", "#define FILE __FILE__\n")
    made.succeeds("package", "--verify-reproducible")


DIFFERENT = {
    "app_c": 'const char *made(void) { return "at " __DATE__ " " __TIME__; }\n',
    "top_c": "const char *top(void) { return TOP; }\n",
    "more_cmake": """
add_library(top SHARED top.c)
target_compile_definitions(top PRIVATE "TOP=\\"${CMAKE_SOURCE_DIR}\\"")
install(TARGETS top LIBRARY DESTINATION lib)
string(TIMESTAMP now %Y-%m-%dT%H:%M:%S)
file(WRITE ${CMAKE_BINARY_DIR}/time.txt "made at ${now}")
file(WRITE ${CMAKE_BINARY_DIR}/user.txt "by $ENV{USER}")
string(RANDOM LENGTH 12 ALPHABET abc name)
file(WRITE ${CMAKE_BINARY_DIR}/random.txt "${name}")
install(FILES ${CMAKE_BINARY_DIR}/time.txt ${CMAKE_BINARY_DIR}/user.txt DESTINATION share)
install(FILES ${CMAKE_BINARY_DIR}/random.txt DESTINATION share RENAME ${name})
""",
}


def test_what_differs_is_reported(tmp_path: Path) -> None:
    made = project(tmp_path, **DIFFERENT)
    made.edit("buildtool.toml", '"ubuntu-aarch64"', '"ubuntu-aarch64"\nallow = ["no-build-paths"]')

    message = made.fails("package", "--verify-reproducible")
    assert "a second build made other bytes: twice-0.0.0-sim.tar.zst" in message
    lines = [line.strip() for line in message.splitlines()]
    for start, *parts in (
        ("lib/libapp.so in .rodata", "suspected: the time of the build"),
        ("lib/libtop.so in .rodata", "suspected: the build directory"),
        ("share/time.txt at offset", "“made at 2", "suspected: the time of the build"),
        ("share/user.txt at offset", "suspected: the user name"),
        ("share/", ": only in the first build"),
        ("share/", ": only in the second build"),
    ):
        assert any(
            line.startswith(start) and all(part in line for part in parts) for line in lines
        ), (start, message)
