"""A project of one program for the ARM64 side that is linked against libcdsprpc."""

from __future__ import annotations

from pathlib import Path

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
MAIN = """\
#ifndef WEAK
#define WEAK
#endif
extern void *rpcmem_alloc(int, unsigned, int);
extern void *rpcmem_alloc2(int, unsigned, unsigned long) WEAK;
int library(void);
int main(void) {
#ifdef NEWER
    if (&rpcmem_alloc2) return rpcmem_alloc2(0, 0, 0) != 0;
#endif
    return rpcmem_alloc(0, 0, 0) != 0;
}
"""
LIBRARY = (
    "int remote_handle64_close(long);\nint library(void) { return remote_handle64_close(1); }\n"
)


class Linked(Project):
    """A project of one program for the ARM64 side."""

    def target(self, toolchain: str, more: str = "") -> None:
        self.write("buildtool.toml", PROJECT.format(toolchain=toolchain) + more)

    def lists(self, text: str) -> None:
        self.write("host/CMakeLists.txt", LISTS + text)

    def program(self, name: str = "bin/main") -> Path:
        """Build; returns a program of the release."""
        self.succeeds("build")
        return self.release() / name
