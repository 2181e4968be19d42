"""`buildtool ide --vscode`: what it writes, and what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit
from tests.integration.cli.test_ide import ide

pytestmark = pytest.mark.long


def test_tasks_and_debug_configurations_of_vscode(
    buildtool: Buildtool, configured: Path, edit: Edit
) -> None:
    project = configured
    file = project / "buildtool.toml"
    file.write_text(file.read_text() + '\n[run.bench]\nprogram = "bin/my-project"\n')

    *_, tasks, launch = ide(buildtool, project, "--vscode")["written"]

    folder = project / ".vscode"
    assert [Path(file["path"]) for file in (tasks, launch)] == [
        folder / "tasks.json",
        folder / "launch.json",
    ]
    named = json.loads((folder / "tasks.json").read_text().partition("\n")[2])["tasks"]
    assert [task["label"] for task in named] == [
        "buildtool: build sim",
        "buildtool: test sim",
        "buildtool: lint",
        "buildtool: run sim bench",
        "buildtool: debug sim bench",
    ]
    # An unchanged file is written again, an edited one and a link stay.
    assert ide(buildtool, project, "--vscode")["written"][-1] == launch | {"changed": False}
    edit(folder / "tasks.json", "bench", "benchmark")
    edited = (folder / "tasks.json").read_text()
    (folder / "launch.json").unlink()
    (folder / "launch.json").symlink_to(project / "elsewhere.json")
    *_, tasks, launch = ide(buildtool, project, "--vscode")["written"]
    assert (folder / "tasks.json").read_text() == edited
    assert not (project / "elsewhere.json").exists()
    for file in (tasks, launch):
        assert Path(file["path"]).parent == project / ".buildtool/ide"
        assert Path(file["path"]).is_file()
        assert "is your own and stays as it is" in file["note"]
