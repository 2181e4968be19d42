"""The history that builds leave: what was built and why, and the sizes of releases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine.pair import HOST, SKEL, machine
from tests.project import Project

NO_OP = """
import sys
from buildtool.cli import main
status = main(["build"])
print(*(name for name in sys.modules if name.endswith("history")))
sys.exit(status)
"""
ENDS_THE_BUILD = """
execute_process(COMMAND sh -c "kill -INT $ENV{LET_THROUGH}; sleep 60")
"""
WITH_ITS_ID = 'LET_THROUGH=$$ exec "$@"'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return machine(tmp_path)


def lines(project: Project, name: str) -> list[dict[str, Any]]:
    text = (project.root / f".buildtool/history/{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_each_build_that_does_something_is_a_line(project: Project) -> None:
    project.succeeds("build")
    project.edit("host/main.c", "int main", "int more;\nint main")
    project.succeeds("build")
    project.edit("host/main.c", "int main", "no_such_type main")
    project.fails("build")

    first, second, third = lines(project, "builds")

    assert [first["ok"], second["ok"], third["ok"]] == [True, True, False]
    assert {step["name"]: step["reasons"] for step in first["steps"]} == {
        HOST: ["it was not built here before"],
        SKEL: ["it was not built here before"],
    }
    (step,) = second["steps"]
    assert (step["name"], step["outcome"], second["up_to_date"]) == (HOST, "built", 1)
    assert step["reasons"][0].startswith("host/main.c changed: ")
    assert 0 < step["begun"] < step["begun"] + step["seconds"] <= second["seconds"]
    assert third["steps"][0]["outcome"] == "failed"
    assert "building app" in third["steps"][0]["error"]["message"]


def test_a_build_that_ctrl_c_ends_is_interrupted(project: Project) -> None:
    project.succeeds("build")
    file = project.root / "host/CMakeLists.txt"
    file.write_text(file.read_text("utf-8") + ENDS_THE_BUILD, "utf-8")

    done = subprocess.run(
        ["sh", "-c", WITH_ITS_ID, "sh", sys.executable, "-P", "-m", "buildtool", "build"],
        cwd=project.root,
        env={**os.environ, **project.environment},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 130, done.stderr
    assert f"- {HOST}" in done.stderr
    build = lines(project, "builds")[-1]
    assert not build["ok"]
    assert {step["name"]: step["outcome"] for step in build["steps"]}[HOST] == "interrupted"
    assert project.why_json("--last")[HOST]["outcome"] == "interrupted"
    assert f"{HOST}: interrupted by Ctrl-C" in project.why("--last")
    report = project.succeeds("report", "--markdown")
    assert "- Builds: ⚠️ last of sim interrupted in" in report
    assert "- Failures: ✅ none recorded" in report


def test_a_build_with_nothing_to_do_writes_and_imports_nothing_for_it(project: Project) -> None:
    project.succeeds("build")
    folder = project.root / ".buildtool/history"
    before = {path.name: path.stat() for path in folder.iterdir()}

    again = subprocess.run(
        [sys.executable, "-P", "-c", NO_OP],
        cwd=project.root,
        env={**os.environ, **project.environment},
        capture_output=True,
        text=True,
        check=True,
    )

    assert again.stdout.splitlines()[-1] == ""
    assert {path.name: path.stat() for path in folder.iterdir()} == before


def test_releases_have_their_revision_and_the_sizes_of_slices_and_sections(
    project: Project,
) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.com")
        command = ["git", "-C", str(project.root), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    project.succeeds("build")
    project.edit("host/main.c", "(void) { return LEVEL", "(int n, char **v) { return more[n]")
    project.edit("host/main.c", "int main", "volatile int more[1000];\nint main")
    project.succeeds("build")
    project.edit("host/main.c", "int main", "// a comment\nint main")
    project.succeeds("build")  # the same release

    first, second = lines(project, "releases")

    revision = git("rev-parse", "HEAD")
    assert [(each["revision"], each["dirty"]) for each in (first, second)] == [
        (revision, False),
        (revision, True),
    ]
    release = project.root / ".buildtool/release/sim"
    host, skel = second["slices"]
    files = [path for path in release.rglob("*") if path.is_file()]
    assert host["size"] + skel["size"] == sum(path.stat().st_size for path in files)
    assert host["sections"][".bss"] >= first["slices"][0]["sections"].get(".bss", 0) + 4000
    assert ".debug_info" not in host["sections"]
    assert len(lines(project, "builds")) == 3


def test_a_history_that_cannot_be_written_fails_no_build(project: Project) -> None:
    (project.root / ".buildtool/history/builds.jsonl").mkdir(parents=True)

    project.succeeds("build")

    assert len(lines(project, "releases")) == 1
