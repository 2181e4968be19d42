"""A project whose only component is programs for the DSP, and a board that it has."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.testing.test_ctest import with_board
from tests.project import Project

FILE = """
[project]
name = "kernels"

[dsp.kernels]
source = "dsp"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68", "v73"]
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(kernels C CXX)
include(CTest)
include(CheckFunctionExists)
include(CheckLibraryExists)
foreach(name malloc printf usleep getrusage stricmp)
  check_function_exists(${name} HAS_${name})
endforeach()
check_library_exists(m pow "" HAS_pow)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)

add_library(sum STATIC sum.c)
add_subdirectory(tests)
"""
TESTS = """
add_executable(program program.c)
add_executable(in-cxx in_cxx.cpp)
add_executable(listed listed.c)
include(GoogleTest)
gtest_discover_tests(listed)
target_link_libraries(in-cxx PRIVATE sum)

add_test(NAME sum COMMAND in-cxx)
add_test(NAME data COMMAND program show "${CMAKE_CURRENT_SOURCE_DIR}/data.txt")
set_tests_properties(data PROPERTIES PASS_REGULAR_EXPRESSION "some data")
add_test(NAME variable COMMAND program arguments one)
set_tests_properties(variable PROPERTIES
  ENVIRONMENT FIRST=1 PASS_REGULAR_EXPRESSION "\\\\[one\\\\]\\n1, none")
add_test(named-as-before program exit 0)
add_test(NAME fails COMMAND program exit 3)
add_test(NAME will-fail COMMAND program exit 3)
set_tests_properties(will-fail PROPERTIES WILL_FAIL ON)
add_test(NAME skipped COMMAND program exit 77)
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME aborts COMMAND program abort)
add_test(NAME crashes COMMAND program crash)
add_test(NAME hangs COMMAND program hang)
set_tests_properties(hangs PROPERTIES TIMEOUT 10)
"""
CXX = """
#include <cstdio>
#include <vector>

extern "C" int sum(const int *numbers, int count);

struct Counted {
    Counted() { std::puts("constructed"); }
    ~Counted() { std::puts("destroyed"); }
};
static Counted counted;

int main()
{
    std::vector<int> numbers = {1, 2, 3};
    std::printf("%d\\n", sum(numbers.data(), 3));
    return 0;
}
"""
LISTED = """
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--gtest_list_tests") == 0)
            puts("Listed.\\n  Passes\\n  Fails\\n  IsSkipped");
        if (strcmp(argv[i], "--gtest_filter=Listed.Fails") == 0)
            status = 1;
        if (strcmp(argv[i], "--gtest_filter=Listed.IsSkipped") == 0)
            puts("[  SKIPPED ] Listed.IsSkipped");
    }
    return status;
}
"""
SUM = """
int sum(const int *numbers, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += numbers[i];
    return total;
}
"""


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, built."""
    project = Project(tmp_path_factory.mktemp("programs") / "my kernels")
    project.write("buildtool.toml", FILE)
    project.write("dsp/CMakeLists.txt", CMAKE)
    project.write("dsp/sum.c", SUM)
    project.write("dsp/tests/CMakeLists.txt", TESTS)
    project.write("dsp/tests/program.c", Path(__file__).with_name("program.c").read_text())
    project.write("dsp/tests/in_cxx.cpp", CXX)
    project.write("dsp/tests/listed.c", LISTED)
    project.write("dsp/tests/data.txt", "some data\n")
    project.build()
    return project


@pytest.fixture(scope="module", params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def board(
    request: pytest.FixtureRequest, kernels: Project, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    with with_board(kernels, request.param, tmp_path_factory.mktemp("board")):
        yield
        kernels.variables = {}


def ran(
    project: Project,
    *words: str,
    given: bytes = b"",
    device: str = "sim",
    own: tuple[str, ...] = (),
    program: str = "dsp/program",
) -> subprocess.CompletedProcess[bytes]:
    """What `PROGRAM WORDS...` does with that input."""
    command = ("run", device, *own, "--", program, *words)
    return subprocess.run(
        [sys.executable, "-P", "-m", "buildtool", *command],
        cwd=project.root,
        env={**os.environ, **project.environment},
        input=given,
        capture_output=True,
        timeout=300,
        check=False,
    )
