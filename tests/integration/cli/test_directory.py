"""`buildtool -C DIR COMMAND` runs the command as if it had been started in that directory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import Buildtool

WITHOUT_TYPER = """
import sys
from buildtool.cli import main
status = main(sys.argv[1:])
sys.exit("typer was loaded" if "typer" in sys.modules else status)
"""


def test_a_plain_build_is_started_there_without_typer(project: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", WITHOUT_TYPER, "-C", project.name, "build", "nope"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2, done.stderr
    assert f"{project}/buildtool.toml has: sim" in done.stderr


def test_paths_are_from_there(buildtool: Buildtool, project: Path, tmp_path: Path) -> None:
    one_by_one = ("-C", "my project", "-Cdsp", "-C", "..")
    plan = buildtool(*one_by_one, "build", "--plan", "--json", cwd=tmp_path)
    idl = buildtool("-C", str(project), "idl", "dsp/demo_dsp.idl", "-o", "out", cwd=tmp_path)

    assert json.loads(plan.stdout)["directory"] == str(project / ".buildtool/release/sim")
    assert idl.returncode == 0, idl.stderr
    assert (project / "out/demo_dsp.h").is_file()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["-C", "nowhere", "build"], 2, "-C nowhere: No such file or directory"),
        (["-C", "file", "build", "--json"], 2, "-C file: Not a directory"),
        (["-C", "nowhere", "run", "sim"], 125, "-C nowhere: No such file or directory"),
        (["-C", "", "build"], 2, "No such file or directory"),
        (["-C"], 2, "Option '-C' requires an argument"),
        (["-C", "."], 2, "Usage: buildtool"),
    ],
)
def test_what_is_no_directory(
    arguments: list[str], status: int, message: str, buildtool: Buildtool, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()

    done = buildtool(*arguments, cwd=tmp_path)

    assert done.returncode == status
    assert message in done.stderr + done.stdout
    if "--json" in arguments:
        assert message in json.loads(done.stdout)["error"]["message"]


def test_what_follows_the_command_is_the_command_s(buildtool: Buildtool, tmp_path: Path) -> None:
    done = buildtool("build", "-C", "x", cwd=tmp_path)

    assert done.returncode == 2
    assert "No such option: -C" in done.stderr


def test_two_dashes_before_the_command_change_nothing(buildtool: Buildtool, project: Path) -> None:
    done = buildtool("--", "run", "nope", cwd=project)
    assert done.returncode == 125
    assert "error: there is no device 'nope'" in done.stderr
