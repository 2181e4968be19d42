"""Remotes that the project names: an index of recipes in a directory stands in for a server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

from .conftest import ConanProject


def set_remotes(project: ConanProject, *remotes: str) -> None:
    text = (project.root / "buildtool.toml").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("conan-remotes")]
    project.write("buildtool.toml", text.replace(line, f"conan-remotes = {json.dumps(remotes)}"))


def index(project: ConanProject) -> None:
    """Move the recipe `calc` out of the project into an index beside it."""
    project.recipe("calc")
    project.recipe("other")
    there = project.root.parent / "an index" / "recipes" / "calc"
    shutil.move(project.root / "recipes" / "calc", there / "all")
    (there / "config.yml").write_text('versions:\n  "1.0":\n    folder: all\n')


def test_a_package_from_a_remote_is_locked_with_its_revision(conan_project: ConanProject) -> None:
    index(conan_project)
    set_remotes(conan_project, "mine=../an index")

    conan_project.built()

    assert conan_project.run() == "42\n"
    (row,) = json.loads(conan_project.lockfile.read_text())["requires"]
    name, _, revision = row.partition("#")
    assert name == "calc/1.0"
    assert len(revision) == 32  # and no time
    before = conan_project.lockfile.read_text()
    shutil.rmtree(conan_project.root / ".buildtool")
    conan_project.built()
    assert conan_project.lockfile.read_text() == before


def test_a_locked_revision_that_the_remote_has_not(conan_project: ConanProject) -> None:
    index(conan_project)
    set_remotes(conan_project, "mine=../an index")
    conan_project.built()
    source = conan_project.root.parent / "an index" / "recipes" / "calc" / "all" / "calc.c"
    source.write_text(source.read_text() + "/* another revision */\n")
    shutil.rmtree(conan_project.root / ".buildtool")

    error = conan_project.fails()

    assert "calc/1.0#" in error
    assert "'conan-remotes'" in error


def test_remotes_come_and_go_with_the_project_file(conan_project: ConanProject) -> None:
    conan_project.recipe("calc")

    def remotes(*wanted: str) -> list[str]:
        set_remotes(conan_project, *wanted)
        done = conan_project.buildtool("profile", "--conan", cwd=conan_project.root)
        assert done.returncode == 0, done.stderr
        listing = subprocess.run(
            [sys.executable, "-P", "-m", "conans.conan", "remote", "list", "--format=json"],
            cwd=conan_project.home, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        return [remote["name"] for remote in json.loads(listing)]

    (conan_project.root / "index" / "recipes").mkdir(parents=True)
    assert remotes("company=https://conan.example.com", "conancenter") == ["company", "conancenter"]
    assert remotes("conancenter", "mine=index") == ["conancenter", "mine"]
    assert remotes() == []
    assert remotes("conancenter") == ["conancenter"]
