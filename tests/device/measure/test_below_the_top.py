"""A project in a folder of its repository: a revision is built with its own files above it."""

from __future__ import annotations

import pytest

from tests.device.measure.measured import commit, document, git
from tests.project import Project

FILE = """
[project]
name = "below"

[host.below]
source = "host"

[target.sim]
platform = "ubuntu-aarch64"
archs = []
toolchain = "gcc"

[test.small]
program = "bin/below"
args = ["test"]

[bench.value]
program = "bin/below"
metrics = ["value"]
checks = ["ends"]

[metric.value]
match = 'value ([0-9]+)'
exact = true

[check.ends]
match = 'end'
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(below LANGUAGES C)
add_executable(below below.c)
target_include_directories(below PRIVATE ${CMAKE_SOURCE_DIR}/../../../common)
install(TARGETS below)
"""
PROGRAM = """
#include <stdio.h>
#include "value.h"
int main(int argc, char **argv)
{
    (void)argv;
    printf("value %d end\\n", VALUE);
    return argc > 1 && VALUE > 2;
}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Five commits, in which the value above the project is 1 to 5."""
    project = Project(tmp_path_factory.mktemp("a repository") / "apps" / "below")
    top = project.root.parent.parent
    project.write("buildtool.toml", FILE)
    project.write("host/CMakeLists.txt", CMAKE)
    project.write("host/below.c", PROGRAM)
    project.write("../../.gitignore", ".buildtool\n")
    git(project, "init", "-q", str(top))
    for value in range(1, 6):
        project.write("../../common/value.h", f"#define VALUE {value}\n")
        git(project, "add", "--all", str(top))
        commit(project, f"value {value}")
    return project


def test_a_bench_compares_the_files_of_both(project: Project) -> None:
    project.succeeds("build")
    found = document(project, "sim", "--against", "HEAD~3", "--repeat", "1")
    (row,) = found["counts"]
    assert (row["this"], row["other"]) == (5, 2)


def test_bisect_finds_the_commit_that_changed_a_file_above(project: Project) -> None:
    done = project.run("bisect", "HEAD~4", "HEAD", "--test", "small")
    assert done.returncode == 0, done.stderr
    (first,) = [line for line in done.stdout.splitlines() if line.startswith("first bad")]
    assert first.endswith("value 3")
