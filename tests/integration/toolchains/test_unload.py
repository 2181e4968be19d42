"""Libraries that are unloaded before the program ends, by each compiler for ARM64 Linux."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from buildtool.core.elf.read import read_elf
from buildtool.sdk.qemu import CROSS_LIBRARIES
from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_clang, ubuntu_aarch64_gcc

from .conftest import PlainCMake

# -Werror and the options of C++ must not reach the start file that the zig profile links.
PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(demo C CXX)
add_library(plugin MODULE plugin.cpp)
add_library(bare SHARED bare.c)
target_link_options(bare PRIVATE -nostdlib LINKER:-z,defs)
add_executable(main main.c)
target_link_libraries(main ${CMAKE_DL_LIBS})
"""
FLAGS = "-Wall -Werror -std=c++17 -include cstdio -fno-rtti -DUNUSED=1"
PLUGIN = """\
#include <cstdlib>
#include <pthread.h>
static struct Object {
    Object() { std::puts("constructed"); }
    ~Object() { std::puts("destroyed"); }
} object;
static void at_exit() { std::puts("atexit"); }
static void at_fork() { std::puts("at fork"); }
__attribute__((destructor)) static void late() { std::puts("destructor"); }
__attribute__((destructor(200))) static void last() { std::puts("destructor 200"); }
extern "C" int value() { std::atexit(at_exit); return pthread_atfork(at_fork, nullptr, nullptr); }
"""
MAIN = """\
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **libraries)
{
    setbuf(stdout, NULL);
    for (int i = 1; i < count; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW);
        if (library == NULL) {
            puts(dlerror());
            return 1;
        }
        printf("value %d\\n", ((int (*)(void))dlsym(library, "value"))());
        dlclose(library);
        puts("unloaded");
    }
    if (fork() == 0) {
        _exit(0);
    }
    int status;
    wait(&status);
    return status;
}
"""
UNLOADED = """\
constructed
value 0
destructor
atexit
destroyed
destructor 200
unloaded
value 7
unloaded
"""


@pytest.mark.parametrize(
    "compiler",
    [
        ubuntu_aarch64,
        pytest.param(ubuntu_aarch64_gcc, marks=pytest.mark.long),
        pytest.param(ubuntu_aarch64_clang, marks=pytest.mark.long),
    ],
)
def test_objects_and_handlers_of_a_library_end_when_it_is_unloaded(
    compiler: Callable[[], Profile], plain_cmake: PlainCMake
) -> None:
    plain_cmake.write(
        CMakeLists_txt=PROJECT,
        plugin_cpp=PLUGIN,
        bare_c="int value(void);\nint value(void) { return 7; }",
        main_c=MAIN,
    )

    tree, output = plain_cmake.build(compiler(), f"-DCMAKE_CXX_FLAGS={FLAGS}")

    ran = subprocess.run(
        [
            *("qemu-aarch64", "-L", CROSS_LIBRARIES.parent, tree / "main"),
            *(tree / "libplugin.so", tree / "libbare.so"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ran.stdout, ran.returncode) == (UNLOADED, 0)
    assert read_elf(tree / "libbare.so").exports == {"value"}
    assert "__dso_handle" not in read_elf(tree / "libplugin.so").exports
    assert "warning" not in output.lower()
