"""Tests of CTest that are scripts: the programs for ARM64 that they start run on the device."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.device.devices.emulated_board import emulated_board
from tests.device.testing.third_party import results
from tests.project import Project

FILE = """
[project]
name = "scripts"

[host.scripts]
source = "host"

[target.sim]
platform = "ubuntu-aarch64"
"""
PROGRAM = r"""
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Prints the machine, $WORD and its arguments, then its input in capitals; ends with $STATUS. */
int main(int argc, char **argv)
{
    struct utsname machine;
    uname(&machine);
    printf("%s %s", machine.machine, getenv("WORD") ? getenv("WORD") : "-");
    for (int i = 1; i < argc; i++) printf(" <%s>", argv[i]);
    putchar('\n');
    for (int c; (c = getchar()) != EOF;) putchar(toupper(c));
    return getenv("STATUS") ? atoi(getenv("STATUS")) : 0;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(scripts LANGUAGES C)
include(CTest)
find_package(Python3 COMPONENTS Interpreter)
add_executable(echoes echoes.c)
install(TARGETS echoes)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/pipes.sh" [[
cd "$(mktemp -d)"
printf 'one\\ntwo\\n' > lines
WORD=said "$1" 'a b' "" < lines | tee copy
STATUS=7 "$1" < /dev/null || echo "status $?"
test "$(wc -l < copy)" = 3
]])
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/search.sh" "PATH=$1:$PATH; echo x | xargs -n1 echoes\\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/run.cmake" [[
execute_process(COMMAND "${PROGRAM}" from cmake INPUT_FILE input COMMAND_ERROR_IS_FATAL ANY)
]])
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/input" "of cmake\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/run.py" [[
import subprocess, sys
done = subprocess.run([sys.argv[1], "from", "python"], input=b"bytes\\n", capture_output=True)
print(done.returncode, done.stdout.decode().split(), flush=True)
subprocess.run([sys.argv[1], "alone"], env={}, stdin=subprocess.DEVNULL, check=True)
]])
add_test(NAME pipes COMMAND sh pipes.sh $<TARGET_FILE:echoes>)
add_test(NAME search COMMAND sh search.sh $<TARGET_FILE_DIR:echoes>)
add_test(NAME cmake COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:echoes> -P run.cmake)
add_test(NAME python COMMAND Python3::Interpreter run.py $<TARGET_FILE:echoes>)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("scripts") / "my scripts")
    files = {"buildtool.toml": FILE, "host/CMakeLists.txt": CMAKE, "host/echoes.c": PROGRAM}
    project.lay_out(files)
    return project


def test_scripts_start_programs_on_sim(project: Project) -> None:
    found = results(project, "sim")

    outputs = {name: test["output"].splitlines() for name, test in found.items()}
    assert {test["outcome"] for test in found.values()} == {"passed"}, outputs
    assert outputs["pipes"] == ["aarch64 said <a b> <>", "ONE", "TWO", "aarch64 -", "status 7"]
    assert outputs["search"] == ["aarch64 - <x>"]
    assert outputs["cmake"] == ["aarch64 - <from> <cmake>", "OF CMAKE"]
    assert outputs["python"] == [
        "0 ['aarch64', '-', '<from>', '<python>', 'BYTES']",
        "aarch64 - <alone>",
    ]


@pytest.mark.long
def test_on_a_board_a_script_sends_the_input(project: Project, tmp_path: Path) -> None:
    with emulated_board(tmp_path) as board:
        project.variables = board.client.environment
        device = (
            f'[device.board]\ntransport = "ssh"\naddress = "board"\nroot = "{board.device.home}"'
        )
        project.write("devices.toml", device)
        found = results(project, "board", "python")
        project.variables = {}

    assert found["python"]["outcome"] == "passed", found
    assert "'<python>', 'BYTES']" in found["python"]["output"]
