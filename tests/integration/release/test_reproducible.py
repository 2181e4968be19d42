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


def test_a_reproducible_project(tmp_path: Path) -> None:
    printed = project(tmp_path).succeeds("package", "--verify-reproducible")
    assert printed.endswith("a second build, elsewhere and without caches, made the same bytes\n")


def test_a_project_in_a_directory_of_a_repository(tmp_path: Path) -> None:
    from tests.integration.release.test_package import git

    made = project(tmp_path)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        git(tmp_path, *arguments)
    made.edit("app.c", "made", "changed")
    made.succeeds("package", "--verify-reproducible")


def test_a_project_with_an_archive_in_its_repository(tmp_path: Path) -> None:
    from tests.integration.release.test_package import git

    made = project(tmp_path)
    made.succeeds("package")
    for arguments in (["init", "-q"], ["add", "dist", "."], ["commit", "-qm", "all"]):
        git(made.root, *arguments)
    made.succeeds("package", "--verify-reproducible")


def test_a_project_with_a_pipe_and_the_directory_for_temporary_files(tmp_path: Path) -> None:
    made = project(tmp_path)
    os.mkfifo(made.root / "pipe")
    temporary = made.root / "tmp"
    temporary.mkdir()
    made.variables["TMPDIR"] = str(temporary)
    made.succeeds("package", "--verify-reproducible")
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("files", "reported"),
    [
        (
            {"app_c": 'const char *made(void) { return "at " __DATE__ " " __TIME__; }\n'},
            ["lib/libapp.so in .rodata", "suspected: the time of the build"],
        ),
        (
            {
                "more_cmake": "target_compile_definitions(app PRIVATE"
                ' "TOP=\\"${CMAKE_SOURCE_DIR}\\"")',
                "app_c": "const char *made(void) { return TOP; }\n",
            },
            ["lib/libapp.so in .rodata", "suspected: the build directory"],
        ),
        (
            {
                "more_cmake": "string(TIMESTAMP now %Y-%m-%dT%H:%M:%S)\n"
                'file(WRITE ${CMAKE_BINARY_DIR}/made.txt "made at ${now}")\n'
                "install(FILES ${CMAKE_BINARY_DIR}/made.txt DESTINATION share)\n"
            },
            ["share/made.txt at offset", "“made at 2", "suspected: the time of the build"],
        ),
        (
            {
                "more_cmake": "string(RANDOM LENGTH 12 ALPHABET abc name)\n"
                'file(WRITE ${CMAKE_BINARY_DIR}/made.txt "${name}")\n'
                "install(FILES ${CMAKE_BINARY_DIR}/made.txt DESTINATION share RENAME ${name})\n"
            },
            ["share/", ": only in the first build", ": only in the second build"],
        ),
        (
            {
                "more_cmake": 'file(WRITE ${CMAKE_BINARY_DIR}/made.txt "by $ENV{USER}")\n'
                "install(FILES ${CMAKE_BINARY_DIR}/made.txt DESTINATION share)\n"
            },
            ["share/made.txt at offset", "suspected: the user name"],
        ),
    ],
    ids=["time", "directory", "time in a text", "names", "user"],
)
def test_what_differs_is_reported(
    files: dict[str, str], reported: list[str], tmp_path: Path
) -> None:
    made = project(tmp_path, **files)
    made.edit("buildtool.toml", '"ubuntu-aarch64"', '"ubuntu-aarch64"\nallow = ["no-build-paths"]')

    message = made.fails("package", "--verify-reproducible")

    assert "a second build made other bytes: twice-0.0.0-sim.tar.zst" in message
    for text in reported:
        assert text in message, message
