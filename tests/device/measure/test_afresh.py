"""A run finds the release as it was brought to the device, and nothing of earlier runs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from buildtool.deploy.ready import DeviceChoice
from buildtool.engine.options import Options
from buildtool.flow.tests import device_session
from buildtool.project.read import read_project
from tests.device.measure.measured import document
from tests.project import Project
from tests.remote.sshd import SshServer

FILE = """
[project]
name = "leaving"

[host.leaving]
source = "host"

[target.sim]
platform = "ubuntu-aarch64"
archs = []

[bench.write]
program = "bin/leaving"
env = { COUNTED = "@COUNTED@" }
metrics = ["size"]
checks = ["fresh"]

[metric.size]
match = "size ([0-9]+)"
exact = true

[check.fresh]
program = "bin/leaving"
args = ["check"]

[test.writes]
program = "bin/leaving"

[test.checks]
program = "bin/leaving"
args = ["check"]
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(leaving LANGUAGES C)
enable_testing()
add_executable(leaving leaving.c)
install(TARGETS leaving)
install(FILES data DESTINATION share)
add_test(NAME writes COMMAND leaving WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(writes PROPERTIES ENVIRONMENT "COUNTED=@COUNTED@;CTEST=1")
add_test(NAME checks COMMAND leaving check WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(checks PROPERTIES DEPENDS writes)
"""
# Only the first run leaves a result, and the third one damages a file of the release.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    char text[8] = "";
    if (argc > 1)
        return access("result", F_OK) != 0;
    int run = 0;
    const char *counted = getenv("COUNTED");
    FILE *file = fopen("share/data", "r");
    if (!getenv("CTEST") && (!file || !fgets(text, sizeof text, file) || strcmp(text, "right")))
        return 3;
    if (counted && (file = fopen(counted, "r"))) {
        fscanf(file, "%d", &run);
        fclose(file);
    }
    if (counted) {
        snprintf(text, sizeof text, "%d", run + 1);
        write_file(counted, text);
    }
    if (!access("empty", F_OK) || !access("link", F_OK) || !access("two\nlines", F_OK))
        return 4;
    if (run == 0 && (mkdir("empty", 0555) || symlink("share", "link") || mkdir("two\nlines", 0777)))
        return 5;
    if (run != 1)
        write_file("result", "right");
    if (run == 2)
        write_file("share/data", "wrong");
    printf("size 1\n");
    return 0;
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("afresh") / "leaving")
    counted = str(project.root.parent / "counted")
    project.write("buildtool.toml", FILE.replace("@COUNTED@", counted))
    project.write("host/CMakeLists.txt", CMAKE.replace("@COUNTED@", counted))
    project.write("host/leaving.c", PROGRAM)
    project.write("host/data", "right")
    project.succeeds("build")
    return project


@pytest.fixture
def project(built: Project) -> Iterator[Project]:
    (built.root.parent / "counted").unlink(missing_ok=True)
    yield built
    built.variables = {}


@pytest.fixture(params=["sim", "board"])
def device(request: pytest.FixtureRequest, project: Project, board: SshServer) -> str:
    """The emulated device, and a board over ssh."""
    root, host = board.device.home / "root", board.client.host
    project.variables = board.client.environment
    project.write(
        "devices.toml",
        f'[device.board]\ntransport = "ssh"\naddress = "{host}"\nroot = "{root}"\n',
    )
    return str(request.param)


def test_a_check_of_a_bench_reads_no_result_of_another_run(project: Project, device: str) -> None:
    found = document(project, device, "--repeat", "4", status=1)

    assert [(row["check"], row["failed"]) for row in found["failed"]] == [("fresh", 1)]


def test_a_test_reads_no_result_of_another_one(project: Project, device: str) -> None:
    for status in ("passed", "failed"):  # of the first and of the second run of CTest
        done = project.run("test", device, "--json")
        tests = json.loads(done.stdout)["tests"]
        outcomes = {(row["suite"], row["name"]): row["outcome"] for row in tests}

        assert outcomes["test", "writes"] == "passed"
        assert outcomes["test", "checks"] == "failed"
        assert outcomes["leaving", "writes"] == "passed"
        assert outcomes["leaving", "checks"] == status


def test_sessions_at_the_same_time_share_no_directory(project: Project) -> None:
    found = read_project(project.root / "buildtool.toml")
    arguments = (found, "sim", DeviceChoice(), lambda _: None, Options())
    with device_session(*arguments) as first, device_session(*arguments) as second:
        assert (first.directory, second.directory) == ("tests", "tests2")
    with device_session(*arguments) as third:
        assert third.directory == "tests"
