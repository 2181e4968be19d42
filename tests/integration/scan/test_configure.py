"""The files that CMake reads when it configures: all relevant changes are noticed, no others."""

from __future__ import annotations

from functools import partial

import pytest

from tests.integration.scan.conftest import Tried, write

LISTS = """\
cmake_minimum_required(VERSION 3.25)
project(app NONE)
set(here "${CMAKE_CURRENT_SOURCE_DIR}")
list(APPEND CMAKE_MODULE_PATH "${here}/first" "${here}/mods")
file(READ read.txt a)
file(STRINGS "strings.txt" b)
file(SHA256 hashed.txt c)
configure_file(made.in made.txt)
file(COPY copied tree DESTINATION copies)
file(GLOB d *.dat)
file(GLOB_RECURSE e CONFIGURE_DEPENDS deep/*.d)
if(NOT c STREQUAL "" AND (EXISTS "${here}/maybe one" OR EXISTS "${here}/is.there"))
elseif(IS_DIRECTORY "${here}/folder")
endif()
include(optional.cmake OPTIONAL)
include(Mine)
include("${here}/functions.cmake")
find_file(f sought.txt PATHS "${here}/x" "${here}/y" NO_DEFAULT_PATH)
find_package(Thing CONFIG QUIET PATHS "${here}/packages" NO_DEFAULT_PATH)
execute_process(COMMAND "${CMAKE_COMMAND}" -P tool.cmake WORKING_DIRECTORY "${here}")
aux_source_directory(auxiliary g)
add_subdirectory(sub)
read_here()
file(READ "${CMAKE_CURRENT_BINARY_DIR}/made.txt" h)
"""
PLAIN = (
    *("read.txt", "strings.txt", "hashed.txt", "made.in", "copied", "tree/a", "tree/b/c"),
    *("one.dat", "deep/a.d", "deep/x/b.d", "is.there", "y/sought.txt", "auxiliary/a.c"),
    *("unrelated.txt", "here.txt", "sub/here.txt", "beside.txt"),
)
FILES = {
    **dict.fromkeys(PLAIN, "1\n"),
    "CMakeLists.txt": LISTS,
    "mods/Mine.cmake": "",
    "tool.cmake": "",
    "functions.cmake": 'function(read_here)\n file(READ "here.txt" x)\nendfunction()\n',
    "sub/CMakeLists.txt": "read_here()\nfile(READ ../beside.txt y)\nread_here()\n",
}
CHANGED = (
    *("CMakeLists.txt", "sub/CMakeLists.txt", "functions.cmake", "mods/Mine.cmake", "tool.cmake"),
    *("read.txt", "strings.txt", "hashed.txt", "made.in", "copied", "tree/a", "tree/b/c"),
    *("here.txt", "sub/here.txt", "beside.txt"),
)
ADDED = {
    "two.dat": "glob",
    "deep/y/c.d": "glob",
    "tree/new": "glob",
    "auxiliary/b.c": "glob",
    "maybe one": "appeared",
    "optional.cmake": "appeared",
    "first/Mine.cmake": "appeared",
    "x/sought.txt": "appeared",
    "packages/ThingConfig.cmake": "glob",
    "packages/Thing-1/ThingConfig.cmake": "glob",
}
NO_MATTER = ("unrelated.txt", "one.dat", "deep/a.d", "is.there", "y/sought.txt", "other.txt", "d.d")


def test_configuring(tried: Tried) -> None:
    write(tried.source, FILES)
    tried.build()
    found = tried.step_inputs()

    for name in CHANGED:
        rows = tried.after(found, partial((tried.source / name).write_text, "# 2\n"))
        assert [(row.kind, row.path) for row in rows] == [("changed", f"{{project}}/src/{name}")]
        assert f"{{project}}/src/{name}" in found.configuration.cmake_inputs.files
    for name in NO_MATTER:
        assert not tried.after(found, partial((tried.source / name).write_text, "2\n")), name
    for name, kind in ADDED.items():
        rows = tried.after(found, partial(write, tried.source, {name: ""}))
        assert kind in {row.kind for row in rows}, name
    for name in ("is.there", "y/sought.txt", "one.dat", "deep/x/b.d", "auxiliary/a.c"):
        rows = tried.after(found, partial((tried.source / name).unlink))
        assert [(row.kind, row.path, row.new) for row in rows] == [
            ("glob", f"{{project}}/src/{name}", "")
        ]
    everything = {
        *found.paths.files,
        *found.paths.absent,
        *(g.expression for g in found.paths.globs),
    }
    assert not [name for name in everything if ".buildtool" in name or name.startswith("{tree}")]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_directory_that_is_asked_for(tried: Tried, kind: str) -> None:
    write(tried.source, {"CMakeLists.txt": LISTS_IF})
    tried.build()
    found = tried.step_inputs()
    rows = tried.after(
        found,
        lambda: write(tried.source, {"folder/x" if kind == "folder" else "folder": ""}),
    )
    assert [(row.kind, row.path) for row in rows] == [("appeared", "{project}/src/folder")]
    tried.build()
    assert not tried.after(tried.step_inputs(), lambda: write(tried.source, {"other/x": ""}))


LISTS_IF = """\
cmake_minimum_required(VERSION 3.25)
project(app NONE)
if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/folder")
endif()
"""


def test_what_is_installed(tried: Tried) -> None:
    write(
        tried.source,
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(app NONE)\n"
            "install(FILES data.txt DESTINATION .)\n"
            "install(DIRECTORY folder DESTINATION .)\n"
            'install(CODE "file(READ \\"${CMAKE_CURRENT_SOURCE_DIR}/asked.txt\\" x)")\n',
            "data.txt": "",
            "folder/a b": "",
            "asked.txt": "",
            "other.txt": "",
        },
    )
    tried.build()
    found = tried.step_inputs()
    for name in ("data.txt", "folder/a b", "asked.txt"):
        rows = tried.after(found, partial((tried.source / name).write_text, "2"))
        assert [(row.kind, row.path) for row in rows] == [("changed", f"{{project}}/src/{name}")]
        assert f"{{project}}/src/{name}" not in found.configuration.cmake_inputs.files
    assert not tried.after(found, lambda: (tried.source / "other.txt").write_text("2"))
    rows = tried.after(found, lambda: write(tried.source, {"folder/deep/new": ""}))
    assert [(row.kind, row.path) for row in rows] == [("glob", "{project}/src/folder/deep/new")]


def test_declared_inputs(tried: Tried) -> None:
    write(
        tried.root,
        {
            "src/CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(app NONE)\n",
            "tables/a.csv": "",
            "tables/b.txt": "",
            "models/x/y": "",
            "VERSION": "",
        },
    )
    tried.declared = ("tables/*.csv", "models", "VERSION", "later")
    tried.build()
    found = tried.step_inputs()
    assert not tried.after(found, lambda: (tried.root / "tables/b.txt").write_text("2"))
    for name in ("tables/a.csv", "models/x/y", "VERSION"):
        assert tried.after(found, partial((tried.root / name).write_text, "2"))
    for name in ("tables/c.csv", "models/new/y", "later/x"):
        assert tried.after(found, partial(write, tried.root, {name: ""}))
