"""A build with nothing to do starts no process, for any compilers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit

WITHOUT_PROCESSES = """
import sys

def refuse(event, arguments):
    if event.partition(".")[2] in ("Popen", "exec", "fork", "forkpty", "posix_spawn", "system"):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(refuse)
from buildtool.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", WITHOUT_PROCESSES, *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("toolchain", ["zig", "gcc", "clang"])
def test_with_nothing_to_do(
    toolchain: str, buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    platform = 'platform = "ubuntu-aarch64"'
    edit(project / "buildtool.toml", platform, f'{platform}\ntoolchain = "{toolchain}"')
    assert "RuntimeError: subprocess.Popen" in run(project, "build").stderr
    done = buildtool("build", cwd=project)
    assert done.returncode == 0, done.stderr

    again = run(project, "build")

    assert again.returncode == 0, again.stderr
    assert "2 steps up to date" in again.stderr
    explained = run(project, "why")
    assert explained.stdout.count("up to date") == 2
