"""The project of a third party, which has a CTest suite and knows nothing of this tool."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.command_line import REPOSITORY
from tests.project import Project

PROJECT = """\
[project]
name = "meter"

[host.meter]
source = "."

[target.sim]
platform = "ubuntu-aarch64"
"""


def third_party(root: Path) -> Project:
    shutil.copytree(REPOSITORY / "tests/third_parties/tested_tree", root)
    (root / "buildtool.toml").write_text(PROJECT)
    return Project(root)


def results(project: Project, *arguments: str) -> dict[str, dict[str, Any]]:
    """The tests of `buildtool test --json`, by name."""
    done = project.run("test", *arguments, "--json")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["ok"] == (done.returncode == 0)
    return by_name(done.stdout)


def by_name(document: str) -> dict[str, dict[str, Any]]:
    """The tests of a document of `buildtool test --json`, by name, in their order there."""
    return {test["name"]: test for test in json.loads(document)["tests"]}
