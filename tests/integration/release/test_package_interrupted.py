"""Packing that is ended, or fails, leaves no half-written archive and no temporary file."""

from __future__ import annotations

import fcntl
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.integration.engine.processes import end, left
from tests.integration.mounts import mounted, needs_unshare, small_disk
from tests.project import Project

SIZE = 100 << 20  # bytes; packing these takes long enough
FILES = {
    "buildtool.toml": """
[project]
name = "large"

[host.app]
source = "."

[target.sim]
platform = "ubuntu-aarch64"
archs = []
""",
    "CMakeLists.txt": f"""
cmake_minimum_required(VERSION 3.22)
project(app NONE)
install(CODE "execute_process(COMMAND truncate -s {SIZE} \\${{CMAKE_INSTALL_PREFIX}}/zeros)")
""",
}


def sizes(folder: Path) -> list[int]:
    """The sizes of the files in a directory that are not empty."""
    return [file.stat().st_size for file in folder.glob(".*") if file.stat().st_size]


@pytest.fixture
def large(tmp_path: Path) -> Project:
    project = Project(tmp_path / "project")
    project.lay_out(FILES)
    project.build_here()
    return project


def test_packing_that_is_ended(large: Project) -> None:
    dist = large.root / "dist"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "buildtool", "package", "--format", "zip"],
            cwd=large.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # A file that is ended before its first bytes may stay: the next run removes it.
        while process.poll() is None and not sizes(dist):
            time.sleep(0.001)
        output = end(process, number)

        assert process.returncode in (130, -signal.SIGKILL), output
        assert left(large.root) == [], number
        assert not (dist / "large-0.0.0-sim.zip").exists(), number
        assert bool(list(dist.iterdir())) == (number == signal.SIGKILL), number
    large.succeeds("package", "--format", "zip")
    assert [file.name for file in dist.iterdir()] == ["large-0.0.0-sim.zip"]


def test_a_file_that_another_process_writes_stays(large: Project) -> None:
    dist = large.root / "dist"
    dist.mkdir()
    other, stale = dist / ".package.other", dist / ".package.stale"
    stale.touch()
    with other.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        large.succeeds("package", "--format", "zip", "--format", "zip")
    assert other.exists()
    assert not stale.exists()


@needs_unshare
def test_archives_on_a_full_disk(large: Project, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    package = [sys.executable, "-m", "buildtool", "-C", str(large.root), "package", "--format=zip"]
    script = f"{shlex.join(package)} --output {disk} 2>&1; echo $?; ls -A {disk}"
    output = mounted(small_disk(disk, "4m"), "sh", "-c", script)
    name = "large-0.0.0-sim.zip"
    assert f"error: {disk}/{name}: No space left on device\n" in output
    assert output.endswith("\n1\n")
