"""A release runs without the tree that it was built in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_dynamic
from tests.command_line import REPOSITORY, Buildtool

PROJECT = """\
[project]
name = "tone"

[host.tone]
source = "."
defines = { TONE_INSTALL = "%s" }
%s
"""
SHIPPED = {"bin/tone", "lib/libmixer.so.0", "lib/libwave.so.2"}


@pytest.mark.parametrize(
    ("install", "keys"),
    [
        pytest.param("", 'artifacts = ["bin/tone"]', marks=pytest.mark.long),
        ("tone;mixer;wave", ""),
        pytest.param("mixer;wave", 'artifacts = ["bin/tone"]', marks=pytest.mark.long),
    ],
    ids=["artifacts", "install rules", "both"],
)
def test_a_release_with_libraries_runs_without_its_build_tree(
    install: str, keys: str, tmp_path: Path, buildtool: Buildtool
) -> None:
    root = tmp_path / "tone"
    shutil.copytree(REPOSITORY / "tests/third_parties/versioned", root)
    (root / "buildtool.toml").write_text(PROJECT % (install, keys))
    done = buildtool("build", cwd=root)
    assert done.returncode == 0, done.stderr
    (root / ".buildtool/build").rename(root / "elsewhere")

    done = buildtool("run", "sim", "--", "bin/tone", cwd=root)

    assert (done.returncode, done.stdout) == (0, "level 42\n"), done.stderr
    assert not (root / ".buildtool/build").exists()
    release = root / ".buildtool/release/sim"
    files = {str(p.relative_to(release)): p for p in release.rglob("*") if not p.is_dir()}
    assert files.keys() == {*SHIPPED, "run.sh"}
    for name in SHIPPED:
        assert not files[name].is_symlink()
        assert read_dynamic(files[name]).runpath == ()
        assert os.fsencode(root) not in files[name].read_bytes()
