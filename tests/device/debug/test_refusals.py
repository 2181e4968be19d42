"""When `--debug` is refused, and why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buildtool.core.errors import UsageError
from buildtool.run.watched_run import watched_run
from tests.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "my project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    return project


def test_a_stand_in_qemu_of_version_7_2_is_refused_before_anything_is_built(
    project: Project, tmp_path: Path
) -> None:
    for name in ("qemu-aarch64", "qemu-hexagon"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {name} version 7.2.22\n")
        program.chmod(0o755)
    project.variables["PATH"] = f"{tmp_path}/bin:{os.environ['PATH']}"

    done = project.run("run", "sim", "--debug")

    assert done.returncode == 125
    assert "error: --debug needs QEMU 8.1 or newer" in done.stderr
    assert f"{tmp_path}/bin/qemu-hexagon is 7.2.22" in done.stderr
    assert "bookworm-backports" in done.stderr
    assert not (project.root / ".buildtool/build").exists()


def test_a_device_is_not_debugged(project: Project) -> None:
    project.write("devices.toml", '[device.board]\nssh = "board.invalid"\n')

    done = project.run("run", "board", "--debug")

    assert done.returncode == 125
    assert "--debug is for sim only" in done.stderr
    assert "buildtool run sim --debug" in done.stderr


def test_a_temporary_directory_with_a_long_path_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    refused = pytest.raises(UsageError, match="a shorter temporary directory")
    with refused, watched_run("", debug=True):
        pass
    assert not [*folder.iterdir()]
    with watched_run("", debug=False) as watched:
        assert watched.socket == ""
