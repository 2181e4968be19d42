"""The project that is measured, on the emulated device and on a board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.devices.emulated_board import emulated_board
from tests.device.measure.measured import lay_out
from tests.project import Project
from tests.remote.sshd import SshServer


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project, which is built once for the tests of a module."""
    project = Project(tmp_path_factory.mktemp("to measure") / "measured")
    lay_out(project)
    project.succeeds("build")
    return project


@pytest.fixture
def project(built: Project) -> Iterator[Project]:
    """The project as it was committed."""
    files = {path: path.read_bytes() for path in built.root.glob("*/*.c")}
    files[built.root / "buildtool.toml"] = (built.root / "buildtool.toml").read_bytes()
    yield built
    for path, data in files.items():
        path.write_bytes(data)


@pytest.fixture
def project_with_kernel(tmp_path: Path, earlier_builds: Path) -> Project:
    """The template's project, with a kernel and a test."""
    project = Project(tmp_path / "my-project", cache=earlier_builds)
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    return project


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """A board behind sshd that runs ARM64 programs on the emulated device."""
    with emulated_board(tmp_path_factory.mktemp("board")) as server:
        yield server


@pytest.fixture
def on_board(project: Project, board: SshServer) -> Iterator[Project]:
    """The project with the device `board`, which has none of its releases."""
    root = board.device.home / "root"
    project.variables = board.client.environment
    project.write(
        "devices.toml",
        f'[device.board]\ntransport = "ssh"\naddress = "{board.client.host}"\nroot = "{root}"\n',
    )
    yield project
    project.variables = {}
