"""The options of `buildtool build`, on whole builds of both sides."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integration.engine import pair
from tests.integration.engine.pair import FILES, HOST, SKEL
from tests.project import Project

DEBUG = ("--build-type", "Debug")
SOURCES = 3  # two of the host, one of the skel


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return pair.machine(tmp_path)


@pytest.mark.long
def test_from_clean_a_compiler_launcher_has_all_of_both_sides(
    project: Project, tmp_path: Path
) -> None:
    project.variables["CCACHE_DIR"] = str(tmp_path / "ccache")

    def hits_and_misses() -> tuple[int, int]:
        """Build from clean, with an empty cache of buildtool."""
        shutil.rmtree(project.root / ".buildtool", ignore_errors=True)
        shutil.rmtree(tmp_path / "cache/actions", ignore_errors=True)
        assert set(project.build("sim", "--launcher", "ccache").values()) == {"built"}
        output = subprocess.run(
            ["ccache", "--dir", tmp_path / "ccache", "--print-stats"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        counts = {name: int(count) for name, count in re.findall(r"^(\w+)\t(\d+)$", output, re.M)}
        hits = counts["direct_cache_hit"] + counts["preprocessed_cache_hit"]
        return hits, counts["cache_miss"]

    assert hits_and_misses() == (0, SOURCES)
    first = project.release_files()
    assert hits_and_misses() == (SOURCES, SOURCES)
    assert project.release_files() == first

    # Another compiler launcher does not cause a compilation.
    assert set(project.build().values()) == {"up-to-date"}


def test_a_build_type_reaches_both_sides_and_strict_isa_the_skel(project: Project) -> None:
    outcomes = project.build("sim", *DEBUG, "-j", "1", "-v")
    lines = project.messages.splitlines()

    assert outcomes == {HOST: "built", SKEL: "built"}
    trees = [file.read_text() for file in project.root.glob(".buildtool/build/*/*/CMakeCache.txt")]
    assert len(trees) == 2
    assert all(re.search(r"^CMAKE_BUILD_TYPE:\w+=Debug$", text, re.M) for text in trees)
    # The name of the step precedes each line of a tool, and the steps ran one after the other.
    steps = [line.partition(": ")[0] for line in lines if re.search(r": \[\d+/\d+]", line)]
    assert {*steps} == {HOST, SKEL}
    assert steps == sorted(steps, key=[HOST, SKEL].index)
    # Each build type has its own trees.
    assert project.build("alone", *DEBUG) == {HOST: "up-to-date"}
    assert project.build("alone") == {HOST: "built"}

    asked = ("why", "sim", *DEBUG, "--strict-isa")
    assert project.succeeds(*asked) == (
        f"{HOST}: up to date\n{SKEL}: rebuilt\n    it was not built here before\n"
    )
    assert project.build("sim", *DEBUG, "--strict-isa") == {HOST: "up-to-date", SKEL: "built"}
    assert project.succeeds(*asked) == f"{HOST}: up to date\n{SKEL}: up to date\n"


@pytest.mark.long
def test_after_a_failure_what_does_not_need_it_is_built(project: Project) -> None:
    project.edit("host/main.c", "LEVEL", "NO_LEVEL")
    project.edit("host/parts/one.c", "return 1", "return NO_PART")

    stopped = project.run("build", "-j", "1")
    assert stopped.returncode == 1
    assert f"- {SKEL:<28} skipped" in stopped.stderr
    assert ("NO_LEVEL" in stopped.stderr) != ("NO_PART" in stopped.stderr)

    went_on = project.run("build", "-j", "1", "--keep-going")
    assert went_on.returncode == 1
    assert f"✓ {SKEL:<28} built" in went_on.stderr
    assert "NO_LEVEL" in went_on.stderr
    assert "NO_PART" in went_on.stderr

    project.lay_out(FILES)
    assert project.build() == {HOST: "built", SKEL: "up-to-date"}


@pytest.mark.long
def test_defines_of_a_target_go_before_the_component_s(project: Project) -> None:
    of_component = 'source = "host"\ndefines = { ONE = 1, TWO = 2 }'
    project.edit("buildtool.toml", 'source = "host"', of_component)
    of_target = '[target.alone]\ndefines = { TWO = "two", FOR_ANOTHER = true }'
    project.edit("buildtool.toml", "[target.alone]", of_target)
    with (project.root / "buildtool.toml").open("a") as file:
        file.write('[target.plain]\nplatform = "ubuntu-aarch64"\n')
    project.edit(
        "host/CMakeLists.txt",
        "install(",
        'file(WRITE "${CMAKE_BINARY_DIR}/passed" "${ONE} ${TWO}")\n'
        'install(FILES "${CMAKE_BINARY_DIR}/passed" DESTINATION share)\ninstall(',
    )

    output = ""
    for target in ("alone", "plain"):
        project.build(target)
        output += project.messages

    assert project.release_files("alone")["share/passed"] == b"1 two"
    assert project.release_files("plain")["share/passed"] == b"1 2"
    assert "Warning" not in output  # about FOR_ANOTHER, which this component does not use
    assert project.build("alone") == {HOST: "up-to-date"}
