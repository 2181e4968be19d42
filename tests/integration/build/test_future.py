"""Files whose time stamp is in the future: Ninja would run CMake for them without end."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit

NEXT_YEAR = time.time() + 365 * 86400


def set_time(file: Path, when: float) -> None:
    os.utime(file, (when, when))


@pytest.mark.parametrize("built_before", [False, True])
def test_a_file_that_cmake_reads(
    buildtool: Buildtool, project: Path, edit: Edit, built_before: bool
) -> None:
    lists = project / "host/CMakeLists.txt"
    if built_before:
        assert buildtool("build", cwd=project).returncode == 0
        edit(project / "host/src/main.c", "return", "return 0 +")
    set_time(lists, NEXT_YEAR)

    done = buildtool("build", "--json", cwd=project)

    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "future-file"
    assert error["message"].startswith(f"{lists} was changed in the future: ")
    assert error["remedy"].endswith(f"touch '{lists}'")
    set_time(lists, time.time())
    assert buildtool("build", cwd=project).returncode == 0


def test_a_source_is_built_once(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    source = project / "host/src/main.c"
    set_time(source, NEXT_YEAR)
    assert buildtool("build", cwd=project).returncode == 0
    assert "2 steps up to date" in buildtool("build", cwd=project).stderr

    edit(source, "return", "return 0 +")
    set_time(source, NEXT_YEAR)

    done = buildtool("build", "--json", cwd=project)
    outcomes = {step["name"]: step["outcome"] for step in json.loads(done.stdout)["steps"]}
    assert outcomes["host/demo"] == "built"
