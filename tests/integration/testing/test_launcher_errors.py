"""What the test launcher says when it cannot start a program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.testing.ctest import TEST_LAUNCHER
from buildtool.testing.launch import VARIABLE
from buildtool.testing.launch_config import LaunchConfig, write_config


@pytest.mark.parametrize("name", ["missing", "text"])
def test_a_program_of_this_machine_that_cannot_be_started(tmp_path: Path, name: str) -> None:
    (tmp_path / "text").write_text("not a program")
    config = LaunchConfig("board", {}, "", "", "", {}, {}, {}, str(tmp_path))
    write_config(tmp_path / "launch.json", config)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", TEST_LAUNCHER, "linux", tmp_path / name],
        env={**os.environ, VARIABLE: str(tmp_path / "launch.json")},
        capture_output=True,
        text=True,
        check=False,
    )
    reason = {"missing": "No such file or directory", "text": "Permission denied"}[name]
    assert (done.returncode, done.stderr) == (125, f"buildtool: {tmp_path / name}: {reason}\n")


def test_a_configuration_that_another_program_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "launch.json"
    write_config(file, LaunchConfig("board", {}, "", "", "", {}, {}, {}, str(tmp_path)))
    file.write_text(file.read_text().replace('"paths": {}', '"paths": 5'))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", TEST_LAUNCHER, "linux", tmp_path / "program"],
        env={**os.environ, VARIABLE: str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 125
    assert done.stderr.startswith(f"buildtool: {file} cannot be read\n")
    assert "Traceback" not in done.stderr
