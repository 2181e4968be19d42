"""What `buildtool init --template hvx` writes runs, and notices a wrong kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def buildtool(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "buildtool", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )


@pytest.mark.parametrize(
    ("name", "build_type"),  # release builds are those of tests/device/cli
    [("my project", "MinSizeRel"), ("remote", "Debug")],
)
def test_hvx_template_runs(name: str, build_type: str, tmp_path: Path) -> None:
    project = tmp_path / name
    project.mkdir()
    assert buildtool(project, "init", "--template", "hvx").returncode == 0
    assert "@" not in "".join(str(path.relative_to(project)) for path in project.rglob("*"))

    done = buildtool(project, "run", "sim", "--build-type", build_type)
    assert done.returncode == 0, done.stderr
    assert "scale_add of 1001 elements verified against the CPU" in done.stdout

    (kernel,) = project.glob("dsp/src/*_imp.c")
    right = kernel.read_text()
    for line in ("memcpy(result + i, &rest_b, bytes);", "i += LANES"):
        wrong = "(void)0;" if line.endswith(";") else "i += 2 * LANES"
        assert line in right
        kernel.write_text(right.replace(line, wrong))
        done = buildtool(project, "run", "sim", "--build-type", build_type)
        assert done.returncode == 1
        assert "should be" in done.stderr
