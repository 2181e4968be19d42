"""What other programs read for CMake is an input: headers of checks, sources of other projects."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.caches import share
from tests.project import Project

FILES = {
    "buildtool.toml": '[project]\nname = "app"\n[host.app]\nsource = "app"\n[target.sim]\n'
    'platform = "ubuntu-aarch64"\ntoolchain = "gcc"\n',
    "app/CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(app C)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
try_compile(TRIED ${CMAKE_BINARY_DIR}/try ${CMAKE_SOURCE_DIR}/try/try.c)
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_INCLUDES ${CMAKE_SOURCE_DIR}/include)
file(READ check.c text)
check_c_source_compiles("${text}" CHECKED)
include(CheckIncludeFile)
check_include_file(maybe.h MAYBE)
include(ExternalProject)
ExternalProject_Add(other SOURCE_DIR ${CMAKE_SOURCE_DIR}/other INSTALL_COMMAND ""
  BINARY_DIR ${CMAKE_BINARY_DIR}/other BUILD_BYPRODUCTS ${CMAKE_BINARY_DIR}/other/other.h)
add_library(app SHARED app.c)
add_dependencies(app other)
target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR}/other)
string(CONCAT found "[${TRIED}" "-${CHECKED}" "-${MAYBE}]")
target_compile_definitions(app PRIVATE "FOUND=\\"${found}\\"")
install(TARGETS app LIBRARY DESTINATION lib)
""",
    "app/app.c": "#include <other.h>\nconst char *found = FOUND OTHER;\n",
    "app/try/try.c": '#include "t.h"\n',
    "app/try/t.h": "",
    "app/check.c": "#include <checked.h>\nint main(void) { return 0; }\n",
    "app/include/checked.h": "",
    "app/other/CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\nproject(other NONE)\n"
    "add_custom_target(make ALL COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/in other.h)\n",
    "app/other/in": '#define OTHER "first"\n',
}
EDITS = {
    "app/try/t.h": ("#error no\n", b"[FALSE-1-]first"),
    "app/include/checked.h": ("#error no\n", b"[TRUE--]first"),
    "app/include/maybe.h": ("", b"[TRUE-1-1]first"),
    "app/other/in": ('#define OTHER "second"\n', b"[TRUE-1-]second"),
}


def test_what_is_read_indirectly_and_then_in_a_moved_project(tmp_path: Path) -> None:
    project = Project(tmp_path / "clone", share(tmp_path / "cache"))
    project.lay_out(FILES)
    assert project.build_here() == {"host/app": "built"}
    assert project.build_here() == {"host/app": "up-to-date"}
    assert b"[TRUE-1-]first" in project.release_files()["lib/libapp.so"]
    clone = Project(tmp_path / "another", share(tmp_path / "another cache"))
    shutil.copytree(project.cache / "actions", clone.cache / "actions", dirs_exist_ok=True)
    for name, (text, expected) in EDITS.items():
        # In the clone only the cache is known.
        clone.lay_out({**FILES, name: text})
        assert clone.explain_here()["host/app"].outcome == "built", name

        project.lay_out({**FILES, name: text})
        assert project.build_here() == {"host/app": "built"}, name
        assert expected in project.release_files()["lib/libapp.so"], name

    clone.lay_out(FILES)
    assert clone.explain_here()["host/app"].outcome == "restored"
    project.lay_out(FILES)
    assert project.build_here() == {"host/app": "restored"}
    assert b"[TRUE-1-]first" in project.release_files()["lib/libapp.so"]

    # The build tree of the external project names the directory that it was configured in.
    project.root = project.root.rename(tmp_path / "after")
    project.edit("app/app.c", "FOUND OTHER", 'FOUND OTHER "!"')
    assert project.build_here() == {"host/app": "built"}
    assert b"[TRUE-1-]first!" in project.release_files()["lib/libapp.so"]
