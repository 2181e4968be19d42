"""Remotes of the project; a directory with an index of recipes stands in for a server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.core.lock import locked
from buildtool.core.processes.process import ToolError
from buildtool.drivers.conan.home import ConanHome

from .conftest import ConanProject


def set_remotes(project: ConanProject, *remotes: str) -> None:
    text = (project.root / "buildtool.toml").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("conan-remotes")]
    project.write("buildtool.toml", text.replace(line, f"conan-remotes = {json.dumps(remotes)}"))


def listed(home: Path) -> list[str]:
    listing = subprocess.run(
        [sys.executable, "-P", "-m", "conans.conan", "remote", "list", "--format=json"],
        cwd=home, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [remote["name"] for remote in json.loads(listing)]


def index(project: ConanProject) -> None:
    """Move the recipe `calc` from the project to an index next to the project."""
    project.header("calc")
    project.header("other")
    there = project.root.parent / "an index" / "recipes" / "calc"
    shutil.move(project.root / "recipes" / "calc", there / "all")
    (there / "config.yml").write_text('versions:\n  "1.0":\n    folder: all\n')


@pytest.mark.long
def test_a_package_from_a_remote_is_locked_with_its_revision(
    conan_project: ConanProject, conan_home: Path
) -> None:
    def forget_all() -> None:
        shutil.rmtree(conan_project.root / ".buildtool")
        shutil.copytree(conan_home, conan_project.home)

    index(conan_project)
    set_remotes(conan_project, "mine=../an index")

    conan_project.built()

    assert conan_project.output() == "42\n"
    (row,) = json.loads(conan_project.lockfile.read_text())["requires"]
    name, _, revision = row.partition("#")
    assert name == "calc/1.0"
    assert len(revision) == 32  # and no time stamp
    before = conan_project.lockfile.read_text()
    forget_all()
    conan_project.built()
    assert conan_project.lockfile.read_text() == before

    # A locked revision that the remote does not have any more.
    source = conan_project.root.parent / "an index" / "recipes" / "calc" / "all" / "calc.h"
    source.write_text(source.read_text() + "/* another revision */\n")
    forget_all()
    error = conan_project.refused()
    assert "calc/1.0#" in error
    assert "'conan-remotes'" in error


@pytest.mark.long
def test_remotes_come_and_go_with_the_project_file(conan_project: ConanProject) -> None:
    conan_project.header("calc")

    def remotes(*wanted: str) -> list[str]:
        set_remotes(conan_project, *wanted)
        done = conan_project.run("profile", "--conan")
        assert done.returncode == 0, done.stderr
        return listed(conan_project.home)

    (conan_project.root / "index" / "recipes").mkdir(parents=True)
    assert remotes("company=https://conan.example.com", "conancenter") == ["company", "conancenter"]
    assert remotes("conancenter", "mine=index") == ["conancenter", "mine"]
    assert remotes() == []
    assert remotes("conancenter") == ["conancenter"]


@pytest.mark.long
def test_remotes_whose_change_was_interrupted_are_set_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = ConanHome(tmp_path / "home", remotes=("company=https://conan.example.com",))
    run = ConanHome.run

    def killed(self: ConanHome, *arguments: str | Path, **rest: object) -> object:
        if arguments[:2] == ("remote", "add"):
            raise ToolError("killed")
        return run(self, *arguments, **rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(ConanHome, "run", killed)
        with pytest.raises(ToolError, match="killed"):
            home.prepare()

    ConanHome(tmp_path / "home").prepare()

    assert listed(tmp_path / "home") == ["conancenter"]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("profile", "--conan"), marks=pytest.mark.long),
        pytest.param(("lock", "sim"), marks=pytest.mark.long),
    ],
)
def test_waiting_for_the_home_is_reported(
    arguments: tuple[str, ...], conan_project: ConanProject
) -> None:
    conan_project.header("calc")
    shutil.rmtree(conan_project.home)
    command = [sys.executable, "-P", "-m", "buildtool", *arguments]
    with locked(conan_project.home.with_suffix(".lock")):
        process = subprocess.Popen(
            command, cwd=conan_project.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        assert process.stderr
        line = process.stderr.readline()
        assert not conan_project.home.exists()
    with process:
        assert line == b"waiting for another buildtool to finish with Conan\n"
        assert process.wait(timeout=120) == 0
