"""`profile --distribute` and `doctor`: what machines need, and what an engine cannot do."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from tests.integration.distribute.tree import Tree


@pytest.fixture
def project(tmp_path: Path) -> Tree:
    """A project with only an ARM64 side, which gcc builds."""
    tree = Tree.make(tmp_path, 1, "gcc")
    tree.edit("buildtool.toml", '[skel.work]\nsource = "dsp"\n', "")
    tree.edit("buildtool.toml", 'archs = ["v68"]\n', "")
    tree.edit("buildtool.toml", '"spread"\n', '"spread"\nlauncher = "distcc"\n')
    return tree


def test_archives_are_written_with_their_digests(project: Tree) -> None:
    said = project.succeeds("profile", "sim", "--distribute", "distcc", "-o", "for others")

    (written,) = (project.root / "for others").iterdir()
    assert re.fullmatch(r"buildtool-gcc-[0-9a-f]{12}\.tar\.gz", written.name)
    assert said.startswith(f"for others/{written.name}\n")
    assert f"sha256 {hashlib.sha256(written.read_bytes()).hexdigest()}\n" in said
    assert "tar -C / -xzf ARCHIVE" in said
    assert "distcc does not send /usr/bin/aarch64-linux-gnu-gcc" in said


def test_doctor_names_what_the_project_s_engine_cannot_do(project: Tree) -> None:
    said = " ".join(project.succeeds("doctor").split())

    assert "distcc does not send /usr/bin/aarch64-linux-gnu-gcc" in said
    assert "Install the same package on each machine" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--distribute", "dist"], "unknown engine 'dist'"),
        (["--distribute", "icecc", "--json"], "--distribute excludes"),
    ],
)
def test_wrong_options_are_refused(project: Tree, options: list[str], message: str) -> None:
    done = project.run("profile", *options)

    assert done.returncode == 2
    assert message in done.stderr
