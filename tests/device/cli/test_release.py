"""A release runs without the tree that it was built in."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from buildtool.core.elf import read_dynamic
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


INSTALLS = {
    "artifacts": ("", 'artifacts = ["bin/tone"]'),
    "install rules": ("tone;mixer;wave", ""),
    "both": ("mixer;wave", 'artifacts = ["bin/tone"]'),
}


def test_a_release_with_libraries_runs_without_its_build_tree(
    tmp_path: Path, buildtool: Buildtool
) -> None:
    root = tmp_path / "tone"
    shutil.copytree(REPOSITORY / "tests/third_parties/versioned", root)
    for name, (install, keys) in INSTALLS.items():
        (root / "buildtool.toml").write_text(PROJECT % (install, keys))
        done = buildtool("build", cwd=root)
        assert done.returncode == 0, (name, done.stderr)
        (root / ".buildtool/build").rename(root / "elsewhere")

        done = buildtool("run", "sim", "--", "bin/tone", cwd=root)

        assert (done.returncode, done.stdout) == (0, "level 42\n"), (name, done.stderr)
        assert not (root / ".buildtool/build").exists(), name
        release = root / ".buildtool/release/sim"
        files = {str(p.relative_to(release)): p for p in release.rglob("*") if not p.is_dir()}
        assert files.keys() == {*SHIPPED, "run.sh"}, name
        for file in SHIPPED:
            assert not files[file].is_symlink(), name
            assert read_dynamic(files[file]).runpath == (), name
            assert os.fsencode(root) not in files[file].read_bytes(), name
        (root / "elsewhere").rename(root / ".buildtool/build")
