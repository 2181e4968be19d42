"""Linker arguments and libraries that zig does not have, and what a build makes of them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from buildtool.toolchains.unsupported_flags import LinkerRow, linker_rows
from tests.project import Project
from tests.standins.zig import zig_program

PROJECT = """\
[project]
name = "hidden"

[host.hidden]
source = "."

[target.sim]
platform = "ubuntu-aarch64"
"""
LISTING = """\
cmake_minimum_required(VERSION 3.16)
project(hidden C)
add_library(hidden SHARED part.c)
target_link_options(hidden PRIVATE {options})
install(TARGETS hidden)
"""
CHECKS = """
include(CheckCSourceCompiles)
check_c_source_compiles([[
void missing(void);
__attribute__((section(".text.unused"))) void unused(void) { missing(); }
int main(void) { return 0; }]] LINKS_WITHOUT_IT)
check_c_source_compiles("int main(void) { return 0; }" LINKS)
message(STATUS "checked: ${LINKS} '${LINKS_WITHOUT_IT}'")
"""
TARGET = ("-target", "aarch64-linux-gnu.2.35")
UNNAMED = {"-fsanitize=address", "--coverage", "-fprofile-arcs", "-fopenmp"}
"""zig takes these; their functions are missing then."""


def accepted(row: LinkerRow, source: Path) -> bool:
    """Whether zig links with the argument of a row."""
    command: list[str | Path] = [zig_program(), "cc", *TARGET, "-shared", source, "-o", "out"]
    argument = row.argument if row.kind != "linker" else f"-Wl,{row.argument}"
    if row.kind == "linker" and row.takes_value:
        argument += ",x"
    done = subprocess.run(
        [*command, argument], capture_output=True, text=True, check=False, cwd=source.parent
    )
    reasons = ("unsupported linker", "unable to find dynamic system library", "invalid -flto mode")
    return not any(reason in done.stderr for reason in reasons)


def test_zig_rejects_all_rows_of_the_table(tmp_path: Path) -> None:
    source = tmp_path / "part.c"
    source.write_text("int part;\n")

    rows = [row for row in linker_rows().values() if row.argument not in UNNAMED]

    assert [row.argument for row in rows if accepted(row, source)] == []


def project(root: Path, *options: str) -> Project:
    made = Project(root)
    made.write("buildtool.toml", PROJECT)
    made.write("CMakeLists.txt", LISTING.format(options=" ".join(f'"{o}"' for o in options)))
    made.write("part.c", "int part(int x) { return x + 1; }\n")
    return made


def test_what_has_no_effect_is_left_out_with_a_note(tmp_path: Path) -> None:
    made = project(
        tmp_path / "a b",
        *("LINKER:-Map,${CMAKE_CURRENT_BINARY_DIR}/x.map", "-Wl,-z,text,-z,now", "-lstdc++fs"),
        *("SHELL:-z separate-code", "-Wl,--warn-common", "-Wl,-soname,own.so"),
    )

    done = made.run("build")

    assert done.returncode == 0, done.stderr
    assert (
        "-Wl,--warn-common, -Wl,-Map, -Wl,-z,separate-code, -Wl,-z,text, -lstdc++fs: left out"
    ) in done.stderr


@pytest.mark.parametrize(("build_type", "optimizes"), [("Release", True), ("Debug", False)])
def test_checks_link_as_the_project_does_and_find_what_is_missing(
    tmp_path: Path, build_type: str, optimizes: bool
) -> None:
    made = project(tmp_path / "a b")
    made.edit("CMakeLists.txt", "add_library", f"{CHECKS}\nadd_library")

    done = made.run("build", "--build-type", build_type, "--verbose")

    assert done.returncode == 0, done.stderr
    assert "checked: 1 ''" in done.stdout + done.stderr
    (log,) = made.root.glob(".buildtool/build/hidden/*/CMakeFiles/CMakeConfigureLog.yaml")
    text = log.read_text("utf-8")
    assert ("Id flags:  -O2" in text) == optimizes
    links = re.findall(r'^ *\[2/2\] : && /bin/sh .*?zig_linker\.tsv"? (-O2)?', text, re.MULTILINE)
    assert links == ["-O2" if optimizes else ""] * 3  # the first one is the compiler's


def test_what_has_an_effect_is_refused_before_the_build(tmp_path: Path) -> None:
    made = project(tmp_path, "LINKER:--exclude-libs,ALL")

    done = made.run("build")

    assert done.returncode == 2
    assert "hidden links with -Wl,--exclude-libs, which ubuntu-aarch64-glibc2.35 cannot do" in (
        done.stderr
    )
    assert "→ Compile the libraries with -fvisibility=hidden, or list the exports" in done.stderr
    assert 'or use another compiler: toolchain = "gcc" or "clang" in the target.' in done.stderr


def test_an_argument_that_is_not_in_the_table_is_explained_when_zig_rejects_it(
    tmp_path: Path,
) -> None:
    done = project(tmp_path, "LINKER:--vfe").run("build")

    assert done.returncode == 1
    assert "Remove -Wl,--vfe, or use another compiler" in done.stderr


def test_openmp_that_is_not_found_is_said(tmp_path: Path) -> None:
    made = project(tmp_path)
    made.edit("CMakeLists.txt", "add_library", "find_package(OpenMP)\nadd_library")

    done = made.run("build")

    assert done.returncode == 0, done.stderr
    assert "OpenMP was searched for and not found, because zig has no OpenMP library" in done.stderr
