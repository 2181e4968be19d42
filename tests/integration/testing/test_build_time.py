"""Programs for ARM64 that a build runs: custom commands, discovery after the build, try_run()."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from buildtool.core.processes.process import ToolError
from tests.command_line import REPOSITORY
from tests.project import Project

PROJECT = """\
[project]
name = "demo"

[host.demo]
source = "."
{more}

[target.sim]
platform = "ubuntu-aarch64"
toolchain = "{toolchain}"
"""
GENERATOR = """\
cmake_minimum_required(VERSION 3.16)
project(demo C)
add_library(words SHARED words.c)
add_executable(generate generate.c)
target_link_libraries(generate PRIVATE words)
add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/table.txt"
  COMMAND generate "${CMAKE_CURRENT_BINARY_DIR}/table.txt" VERBATIM)
add_custom_target(table ALL DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/table.txt")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/table.txt" DESTINATION share)
install(TARGETS words)
"""
SOURCES = {
    "CMakeLists.txt": GENERATOR,
    "words.c": "#include <sys/utsname.h>\nstatic struct utsname found;\n"
    "const char *word(void) { uname(&found); return found.machine; }\n",
    "generate.c": "#include <stdio.h>\nconst char *word(void);\nint main(int argc, char **argv) {\n"
    'FILE *out = fopen(argv[argc - 1], "w"); fprintf(out, "%s\\n", word());\n'
    "return fclose(out); }\n",
}


def make_project(root: Path, *, toolchain: str = "gcc", more: str = "") -> Project:
    project = Project(root)
    project.lay_out({**SOURCES, "buildtool.toml": PROJECT.format(toolchain=toolchain, more=more)})
    return project


def test_a_custom_command_runs_a_program_of_the_target(tmp_path: Path) -> None:
    project = make_project(tmp_path / "a b")
    assert project.build_here() == {"host/demo": "built"}
    assert project.release_files()["share/table.txt"] == b"aarch64\n"
    assert project.build_here() == {"host/demo": "up-to-date"}


@pytest.mark.long
def test_its_failure_fails_the_build_each_time(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.edit("generate.c", "return fclose(out)", "return 7")
    for _ in range(2):
        assert "failed (exit status 7)\n  FAILED: [code=7] table.txt" in project.fails("build")


def test_without_qemu_the_error_says_so(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "env", "git"):
        programs.joinpath(name).symlink_to(shutil.which(name) or name)
    project.variables = {"PATH": str(programs)}

    error = project.fails("build")

    assert "generate cannot run on this machine" in error
    assert "apt-get install qemu-user libc6-arm64-cross" in error


@pytest.mark.long
def test_tests_that_are_discovered_after_the_build_are_listed(tmp_path: Path) -> None:
    root = tmp_path / "meter"
    shutil.copytree(REPOSITORY / "tests/third_parties/tested_tree", root)
    (root / "buildtool.toml").write_text(PROJECT.format(toolchain="gcc", more=""))
    project = Project(root)
    project.edit(
        "test/CMakeLists.txt", "(unit PROPERTIES", "(unit DISCOVERY_MODE POST_BUILD PROPERTIES"
    )
    project.build_here()
    (listed,) = (project.tree("demo") / "test").glob("unit*_tests.cmake")
    assert "Largest.OfNegative" in listed.read_text()


CHECKS = """\
cmake_minimum_required(VERSION 3.16)
project(demo C)
%s
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/found.txt" "${found} ${text}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/found.txt" DESTINATION share)
"""
CHECK = 'include(CheckCSourceRuns)\ncheck_c_source_runs("int main(void) { return 0; }" found)'
TRY_RUN = (
    'try_run(found compiled "${CMAKE_BINARY_DIR}/try" "${CMAKE_SOURCE_DIR}/words.c"'
    " RUN_OUTPUT_VARIABLE text)"
)


@pytest.mark.parametrize(
    ("check", "names", "entries", "found"),
    [
        (CHECK, "found = true", "found = true", b"ON "),
        pytest.param(
            TRY_RUN,
            'found = 0, found__TRYRUN_OUTPUT = "…"',
            'found = 3, found__TRYRUN_OUTPUT = "x y"',
            b"3 x y",
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_only_the_device_can_answer_is_asked_for(
    tmp_path: Path, check: str, names: str, entries: str, found: bytes
) -> None:
    project = make_project(tmp_path)
    project.write("CMakeLists.txt", CHECKS % check)
    project.write("words.c", "int main(void) { return 3; }\n")

    with pytest.raises(ToolError) as failed:
        project.build_here()

    assert f"defines = {{ {names} }} in [host.demo]" in failed.value.remedy
    assert "only a device can run" in failed.value.message

    toml = PROJECT.format(toolchain="gcc", more=f"defines = {{ {entries} }}")
    project.write("buildtool.toml", toml)
    project.build_here()
    assert project.release_files()["share/found.txt"] == found


@pytest.mark.long
def test_all_profiles_put_the_test_launcher_before_tests(tmp_path: Path) -> None:
    """A native profile needs an ARM64 machine: there, CMAKE_TEST_LAUNCHER takes the place."""
    root = tmp_path / "meter"
    shutil.copytree(REPOSITORY / "tests/third_parties/tested_tree", root)
    for toolchain in ("zig", "gcc", "clang"):
        (root / "buildtool.toml").write_text(PROJECT.format(toolchain=toolchain, more=""))
        Project(root).build_here()
    found = [*(root / ".buildtool/build").glob("demo/*/test/CTestTestfile.cmake")]
    assert len(found) == 3
    launcher = REPOSITORY / "buildtool/testing/ctest/launch.py"
    for file in found:
        line = next(line for line in file.read_text().splitlines() if "cli.small" in line)
        assert f'"{sys.executable}" "-I" "-S" "-X" "utf8" "{launcher}" "linux" "' in line


@pytest.mark.long
def test_projects_that_read_the_variable_get_it_when_they_ask(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    listing = CHECKS % 'set(found "${CMAKE_CROSSCOMPILING_EMULATOR}")'
    project.write("CMakeLists.txt", listing)
    project.build_here()
    assert project.release_files()["share/found.txt"] == b" "
    more = "defines = { BUILDTOOL_EMULATOR_VARIABLE = true }"
    project.write("buildtool.toml", PROJECT.format(toolchain="gcc", more=more))
    project.build_here()
    assert b"/launch.py;linux" in project.release_files()["share/found.txt"]


def test_the_tree_is_built_when_tests_need_it_and_restored_when_not(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.edit("CMakeLists.txt", "add_library(words", "enable_testing()\nadd_library(words")
    project.build_here()
    shutil.rmtree(project.root / ".buildtool")
    assert project.build_here() == {"host/demo": "restored"}
    assert not (project.root / ".buildtool/build/demo").exists()

    done = project.run("test", "sim", "--json")

    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "usage"), done.stderr
    assert project.tree("demo").is_dir()
    assert project.why_json("--last")["host/demo"]["outcome"] == "built"
    project.succeeds("build", "--no-cache")
    assert project.why_json("--last")["host/demo"]["outcome"] == "up-to-date"
