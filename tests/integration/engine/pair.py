"""A project with a host and a skel that are quick to build, on machines that share nothing."""

from __future__ import annotations

from pathlib import Path

from tests.caches import share
from tests.project import Project

HOST, SKEL = "host/app", "skel/dsp/v68"
FILES = {
    "buildtool.toml": """
[project]
name = "pair"
environment = ["LET_THROUGH"]

[host.app]
source = "host"

[skel.dsp]
source = "dsp"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]

[target.alone]
platform = "ubuntu-aarch64"
archs = []
""",
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
file(GLOB parts parts/*.c)
add_executable(app main.c ${parts})
target_include_directories(app PRIVATE first second)
install(TARGETS app RUNTIME DESTINATION bin)
""",
    "host/main.c": '#include "level.h"\nint main(void) { return LEVEL; }\n',
    "host/first/keep": "",
    "host/second/level.h": "#define LEVEL 1\n",
    "host/parts/one.c": "int part_one(void) { return 1; }\n",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(dsp C)
add_library(b_skel SHARED entry.c)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/entry.c": """
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return 0; }
int b_skel_invoke(unsigned s, void *p) { (void)s; (void)p; return 0; }
""",
}


def machine(folder: Path, **variables: str) -> Project:
    """A clone of the project on a machine with its own cache and these environment variables."""
    clone = Project(folder / "clone", share(folder / "cache"), variables)
    clone.lay_out(FILES)
    return clone
