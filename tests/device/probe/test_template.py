"""The project of `buildtool init --template hvx` runs, and detects a wrong kernel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import Project


@pytest.mark.parametrize(
    ("name", "build_type"),  # release builds are those of tests/device/cli
    [
        pytest.param("remote", "MinSizeRel", marks=pytest.mark.long),
        # tests/device/debug runs this one too.
        pytest.param("my project", "Debug", marks=pytest.mark.long),
    ],
)
def test_hvx_template_runs(name: str, build_type: str, tmp_path: Path) -> None:
    project = Project(tmp_path / name)
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    assert "@" not in "".join(str(p.relative_to(project.root)) for p in project.root.rglob("*"))

    printed = project.succeeds("run", "sim", "--build-type", build_type)
    assert "scale_add of 1024 and 1001 elements verified against the CPU" in printed

    (kernel,) = project.root.glob("dsp/src/*_imp.c")
    right = kernel.read_text()
    for line in ("memcpy(result + i, &rest_b, bytes);", "i += LANES"):
        wrong = "(void)0;" if line.endswith(";") else "i += 2 * LANES"
        assert line in right
        kernel.write_text(right.replace(line, wrong))
        done = project.run("run", "sim", "--build-type", build_type)
        assert done.returncode == 1
        assert "should be" in done.stderr


def make_test(project: Project) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "test", f"BUILDTOOL='{sys.executable}' -P -m buildtool"],
        cwd=project.root,
        env={**os.environ, **project.environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_make_test_finds_a_kernel_that_reads_a_vector_too_much(tmp_path: Path) -> None:
    project = Project(tmp_path / "demo")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    assert (
        make_test(project).stdout.count("demo: scale_add of 1024 and 1001 elements verified") == 2
    )

    kernel = project.root / "dsp/src/demo_dsp_imp.c"
    right = kernel.read_text()
    assert right.count("i + LANES <= a_len") == 1
    kernel.write_text(right.replace("i + LANES <= a_len", "i <= a_len"))
    done = make_test(project)

    assert done.returncode == 2  # of make
    found = re.search(
        r"\n  1 byte past the end of parameter '[ab]' of demo_dsp_scale_add \(in, 2,048 bytes\)"
        r"\n  at demo_dsp_scale_add \(demo_dsp_imp\.c:(\d+)\)\n",
        done.stderr,
    )
    assert found, done.stderr
    assert "Q6_Vh_vmpyiacc_VhVhVh" in "".join(right.splitlines()[int(found[1]) - 2 : int(found[1])])
