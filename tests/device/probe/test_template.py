"""The project of `buildtool init --template hvx` runs, and detects a wrong kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project


@pytest.mark.parametrize(
    ("name", "build_type"),  # release builds are those of tests/device/cli
    [("my project", "MinSizeRel"), ("remote", "Debug")],
)
def test_hvx_template_runs(name: str, build_type: str, tmp_path: Path) -> None:
    project = Project(tmp_path / name)
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    assert "@" not in "".join(str(p.relative_to(project.root)) for p in project.root.rglob("*"))

    printed = project.succeeds("run", "sim", "--build-type", build_type)
    assert "scale_add of 1001 elements verified against the CPU" in printed

    (kernel,) = project.root.glob("dsp/src/*_imp.c")
    right = kernel.read_text()
    for line in ("memcpy(result + i, &rest_b, bytes);", "i += LANES"):
        wrong = "(void)0;" if line.endswith(";") else "i += 2 * LANES"
        assert line in right
        kernel.write_text(right.replace(line, wrong))
        done = project.run("run", "sim", "--build-type", build_type)
        assert done.returncode == 1
        assert "should be" in done.stderr
