"""A project whose tests are exported, for Linux and as prebuilt files for Android."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.device.testing.suite import ENDING_TESTS, ENDINGS
from tests.project import Project

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char line[256] = "";
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "exit") == 0) { puts("<LAVA_SIGNAL_TESTCASE >"); return atoi(argv[2]); }
    if (strcmp(what, "signal") == 0) raise(atoi(argv[2]));
    if (strcmp(what, "hang") == 0) { puts("hanging"); fflush(stdout); pause(); }
    if (strcmp(what, "env") == 0) return strcmp(getenv(argv[2]) ? getenv(argv[2]) : "", argv[3]);
    if (strcmp(what, "print") == 0) {
        FILE *file = fopen(argv[2], "r");
        if (!file || !fgets(line, sizeof line, file)) return 9;
        fputs(line, stdout);
    }
    return 0;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(app C)
include(CTest)
add_executable(app app.c)
install(TARGETS app)
add_test(NAME "reads $HOME's data" COMMAND app print "${CMAKE_SOURCE_DIR}/data/my file.txt")
add_test(NAME relative COMMAND app print file.txt WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/data")
add_test(NAME inverted COMMAND app exit 3)
add_test(NAME wrongly-inverted COMMAND app exit 0)
set_tests_properties(inverted wrongly-inverted PROPERTIES WILL_FAIL ON)
add_test(NAME skips COMMAND app exit 77)
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME variable COMMAND app env WORDS "a 'b' $c")
set_tests_properties(variable PROPERTIES ENVIRONMENT "WORDS=a 'b' $c")
add_test(NAME expression COMMAND app exit 1)
set_tests_properties(expression PROPERTIES PASS_REGULAR_EXPRESSION "LAVA")
add_test(NAME here COMMAND "${CMAKE_COMMAND}" -E true)
"""
TESTS = f"""{ENDING_TESTS}
[test.accuracy]
pytest = ["tests"]
"""
EXPECTED = """
[expected-failure.{tag}]
tests = ["known"]
reason = "it is known"
"""
LINUX = """
[project]
name = "elsewhere"

[host.app]
source = "host"
"""
ANDROID = """
[project]
name = "elsewhere"
default-target = "phone"

[host.app]
tree = "prebuilt"

[target.phone]
platform = "android"
"""
PROGRAMS = {
    **{f"test/{name}": ending for name, ending in ENDINGS.items()},
    "accuracy/accuracy": ("skipped", "not exported: pytest runs on this machine"),
}
CTEST = {
    "app/reads $HOME's data": ("passed", ""),
    "app/relative": ("passed", ""),
    "app/inverted": ("passed", ""),
    "app/wrongly-inverted": ("failed", "exit status 0, but WILL_FAIL expects a failure"),
    "app/skips": ("skipped", "SKIP_RETURN_CODE=77"),
    "app/variable": ("passed", ""),
    "app/expression": ("skipped", "not exported: PASS_REGULAR_EXPRESSION needs CTest"),
    "app/here": ("skipped", "not exported: its command runs on this machine"),
}


def linux_project(root: Path) -> Project:
    """The project with its CTest suite."""
    project = Project(root)
    project.write("buildtool.toml", LINUX + TESTS + EXPECTED.format(tag="ubuntu-aarch64"))
    project.write("host/CMakeLists.txt", CMAKE)
    project.write("host/app.c", PROGRAM)
    for name in ("my file.txt", "file.txt"):
        project.write(f"host/data/{name}", "content\n")
    return project


def android_project(root: Path, ndk: Path) -> Project:
    """The same program, prebuilt: without a C library of the system, it runs everywhere."""
    project = Project(root, variables={"ANDROID_NDK_ROOT": str(ndk)})
    project.write("buildtool.toml", ANDROID + TESTS + EXPECTED.format(tag="shiba-34"))
    project.write("app.c", PROGRAM)
    program = root / "prebuilt" / "bin" / "app"
    program.parent.mkdir(parents=True)
    command = ["aarch64-linux-gnu-gcc", "-static", "app.c", "-o", str(program)]
    subprocess.run(command, cwd=root, check=True)
    return project
