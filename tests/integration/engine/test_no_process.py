"""A build with nothing to do starts no process, for any compilers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import LONG
from tests.integration.engine.pair import HOST, machine
from tests.project import Project

WITHOUT_PROCESSES = """
import sys

def refuse(event, arguments):
    if event.partition(".")[2] in ("Popen", "exec", "fork", "forkpty", "posix_spawn", "system"):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(refuse)
from buildtool.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", WITHOUT_PROCESSES, *arguments],
        cwd=project.root,
        env={**os.environ, **project.environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_with_nothing_to_do(tmp_path: Path) -> None:
    project = machine(tmp_path)
    for toolchain in ("zig", "gcc", "clang") if LONG else ("zig", "gcc"):
        with (project.root / "buildtool.toml").open("a") as file:
            file.write(
                f'[target.of-{toolchain}]\nplatform = "ubuntu-aarch64"\narchs = ["v68"]\n'
                f'toolchain = "{toolchain}"\n'
            )
        target = f"of-{toolchain}"
        assert "RuntimeError: subprocess.Popen" in run(project, "build", target).stderr
        assert project.build_here(target)[HOST] == "built"

        again = run(project, "build", target)

        assert again.returncode == 0, again.stderr
        assert "2 steps up to date" in again.stderr, toolchain
        explained = run(project, "why", target)
        assert explained.stdout.count("up to date") == 2, toolchain
