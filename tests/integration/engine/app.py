"""A project of one library, which is quick to build and to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.project import Project

LISTS = """cmake_minimum_required(VERSION 3.25)
project(app C)
configure_file(config.h.in config.h)
add_custom_command(OUTPUT made/made.h DEPENDS made.txt
  COMMAND ${CMAKE_COMMAND} -E make_directory made
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/made.txt made/made.h)
add_subdirectory(sub)
add_library(app SHARED a.c ${CMAKE_BINARY_DIR}/made/made.h)
target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR})
target_link_libraries(app PRIVATE sub)
install(TARGETS app LIBRARY DESTINATION lib)
install(FILES made.txt DESTINATION share/app)
"""
FILES = {
    "buildtool.toml": '[project]\nname = "app"\n\n[host.app]\nsource = "app"\n\n[target.sim]\n'
    'platform = "ubuntu-aarch64"\ntoolchain = "gcc"\n',
    "app/CMakeLists.txt": LISTS,
    "app/config.h.in": '#define CONFIGURED "configured"\n',
    "app/made.txt": '#define MADE "made"\n',
    "app/sub/CMakeLists.txt": "add_library(sub OBJECT sub.c)\n"
    "set_target_properties(sub PROPERTIES POSITION_INDEPENDENT_CODE ON)\n",
    "app/sub/sub.c": 'const char *const sub = "sub";\n',
}


@dataclass
class App(Project):
    """The project, whose source was edited `edits` times."""

    edits: int = 0

    def edit_source(self) -> None:
        """Change a source to a content that it has not had before."""
        self.edits += 1
        text = '#include "config.h"\n#include "made/made.h"\nconst char *const mark = "mark '
        self.write("app/a.c", text + f'{self.edits} " CONFIGURED " " MADE;\n')

    def check_build(self) -> str:
        """Build, and check the library; returns the output on standard error."""
        self.succeeds("build")
        self.check_library()
        return self.messages

    def check_library(self, target: str = "sim") -> None:
        """Check that the library was built from the last edit of the source."""
        made = self.release_files(target)["lib/libapp.so"]
        assert f"mark {self.edits} configured made".encode() in made


def new_app(root: Path, cache: Path, prefix: Sequence[str] = ()) -> App:
    """The project in the directory `root`, with its first source."""
    app = App(root, cache, prefix=prefix)
    app.lay_out(FILES)
    app.edit_source()
    return app
