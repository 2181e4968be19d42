"""A project of programs for the ARM64 side that are linked against libcdsprpc."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from tests.project import Project

PROJECT = """\
[project]
name = "linked"
[host.linked]
source = "host"
[target.sim]
platform = "ubuntu-aarch64"
toolchain = "{toolchain}"
glibc = "2.36"
"""
LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(linked C)
add_executable(main main.c)
install(TARGETS main)
"""
# The program is called ${main}: target names are unique among the directories of a project.
PROGRAM = """\
set(main {name})
add_executable(${{main}} ../main.c)
install(TARGETS ${{main}})
{text}
"""
MAIN = """\
#ifndef WEAK
#define WEAK
#endif
extern void *rpcmem_alloc(int, unsigned, int);
extern void *rpcmem_alloc2(int, unsigned, unsigned long) WEAK;
int library(void);
int main(void) {
#ifdef ONLY_LIBRARY
    return library();
#else
#ifdef NEWER
    if (&rpcmem_alloc2) return rpcmem_alloc2(0, 0, 0) != 0;
#endif
    return rpcmem_alloc(0, 0, 0) != 0;
#endif
}
"""
LIBRARY = (
    "int remote_handle64_close(long);\nint library(void) { return remote_handle64_close(1); }\n"
)


class Linked(Project):
    """A project of one program for the ARM64 side, or of several ones."""

    def target(self, toolchain: str, more: str = "") -> None:
        self.write("buildtool.toml", PROJECT.format(toolchain=toolchain) + more)

    def lists(self, text: str) -> None:
        self.write("host/CMakeLists.txt", LISTS + text)

    def programs(self, ways: Mapping[str, str]) -> None:
        """Make a program of each text, which calls it ${main}, in a directory of its own."""
        top = "".join(f"add_subdirectory({name})\n" for name in ways)
        self.write("host/CMakeLists.txt", f"{LISTS.partition('add_exec')[0]}{top}")
        for name, text in ways.items():
            self.write(f"host/{name}/CMakeLists.txt", PROGRAM.format(name=name, text=text))

    def program(self, name: str = "bin/main") -> Path:
        """Build; returns a program of the release."""
        self.build_here()
        return self.release() / name

    def refused(self) -> str:
        """Build, which must fail; returns the texts of the error."""
        with pytest.raises(BuildtoolError) as caught:
            self.build_here()
        return str(caught.value)
