"""`buildtool bisect` builds, runs and judges commits, and names the one that is at fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device.measure.measured import FILE, commit, git, lay_out
from tests.json_documents import validate
from tests.project import Project

COMMITS = 8
BROKEN, FAULT = 2, 5
RACE = 'if (!strcmp(mode, "race") && runs % 20 == 7)'
OFTEN = "if (runs % 5 < 2)"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with commits after the first one: number 2 does not compile, and with number 5 a
    lane is wrong in two of five runs, and the program slower."""
    project = Project(tmp_path_factory.mktemp("history") / "measured")
    lay_out(project)
    for number in range(1, COMMITS + 1):
        if number == BROKEN:
            project.edit("host/measured.c", "int main(", "broken int main(")
        if number == BROKEN + 1:
            project.edit("host/measured.c", "broken int main(", "int main(")
        if number == FAULT:
            project.edit("host/measured.c", RACE, OFTEN)
            project.edit("host/measured.c", "(int)sizeof out,", "(int)sizeof out * 2,")
        project.write("notes.txt", f"{number}\n")
        commit(project, f"change {number}")
    return project


def document(project: Project, *arguments: str, status: int = 0) -> dict[str, object]:
    done = project.run("bisect", *arguments, "--json")
    assert done.returncode == status, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    validate("bisect", found)
    return found


@pytest.mark.long
def test_a_race_is_found_although_most_runs_are_right(history: Project) -> None:
    before = git(history, "status", "--porcelain"), git(history, "rev-parse", "HEAD")
    ends = (f"HEAD~{COMMITS}", "HEAD")
    done = history.run("bisect", *ends, "--bench", "scale", "--fails-in", "2/5")

    assert done.returncode == 0, done.stderr
    *tried, first, evidence = done.stdout.splitlines()
    assert first.endswith("change 5")
    assert first.startswith("first bad commit: ")
    assert "same output in " in evidence
    assert tried[0].startswith("good    ")
    assert tried[0].endswith("as it was (passed 14 runs)")
    assert (git(history, "status", "--porcelain"), git(history, "rev-parse", "HEAD")) == before


@pytest.mark.long
def test_a_limit_of_a_metric_finds_what_is_worse(history: Project) -> None:
    found = document(history, f"HEAD~{COMMITS}", "HEAD", "--bench", "scale", "--limit", "size=256")

    assert found["found"] is True
    assert str(found["subject"]).endswith("change 5")


def test_a_test_that_fails_is_found_and_what_does_not_build_is_skipped(history: Project) -> None:
    test = '\n[test.right]\nprogram = "bin/measured"\nargs = ["1"]\nenv = {{ MODE = "{mode}" }}\n'
    for number, mode in enumerate(["right", "right", "fails", "fails"]):
        text = (history.root / "host/measured.c").read_text()
        if number == 1:
            history.write("host/measured.c", text.replace("int main(", "broken int main("))
        if number == 3:
            history.write("host/measured.c", text.replace("broken int main(", "int main("))
        history.write("buildtool.toml", FILE + test.format(mode=mode))
        history.write("notes.txt", f"test {number}\n")
        commit(history, f"test {number}")
    git(history, "branch", "-f", "tested")
    found = document(history, "HEAD~3", "HEAD", "--test", "right", status=1)
    git(history, "reset", "-q", "--hard", "HEAD~4")

    subjects = [git(history, "log", "-1", "--format=%s", str(c)) for c in found["suspects"]]  # type: ignore[attr-defined]
    assert (found["found"], sorted(subjects)) == (False, ["test 1\n", "test 2\n", "test 3\n"])
    tried = {row["outcome"]: row["evidence"] for row in found["tried"]}  # type: ignore[attr-defined]
    assert tried["bad"] == "test/right failed: exit status 1"
    assert "failed" in tried["skipped"]


@pytest.mark.long
def test_a_bisection_that_is_killed_goes_on(history: Project) -> None:
    command = ["bisect", f"HEAD~{COMMITS}", "HEAD", "--bench", "scale", "--limit", "size=256"]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", *command],
        cwd=history.root,
        env={**os.environ, **history.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if line.startswith("bad: "):
                break
        process.kill()
    done = history.run(*command)

    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("going on after 2 commits that were tried before\n")
    assert "change 5" in done.stdout.splitlines()[-2]
    assert not Path(history.root / ".buildtool" / "bisect.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bench", "scale", "--test", "x"), "bisect needs one of --test, --bench and --diverges"),
        ((), "bisect needs one of --test, --bench and --diverges"),
        (("--test", "x", "--limit", "time=1"), "--limit is for --bench"),
        (("--bench", "scale", "--limit", "time"), "a limit has the form NAME=NUMBER"),
        (("--bench", "scale", "--limit", "tim=1"), "[bench.scale] has no metric 'tim'"),
        (("--bench", "scale", "--fails-in", "6/5"), "a share has the form K/N"),
        (("--bench", "scle"), "there is no bench 'scle'"),
    ],
)
def test_what_is_asked_wrongly(history: Project, arguments: tuple[str, ...], message: str) -> None:
    done = history.run("bisect", "HEAD~1", "HEAD", *arguments)

    assert done.returncode == 2
    assert message in done.stderr
