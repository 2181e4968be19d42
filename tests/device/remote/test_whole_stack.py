"""From source to a kernel on a DSP, over real ssh and adb: the DSP is the emulated one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project import Project
from tests.remote.adbd import AdbServer
from tests.remote.sshd import SshServer

DEVICE = """
[device.board]
{how}
root = "{root}"
"""
VERIFIED = "my-project: scale_add of 1001 elements verified against the CPU\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The template's project, which has run on sim."""
    folder = tmp_path_factory.mktemp("whole stack")
    project = Project(folder / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    assert project.succeeds("run", "sim") == VERIFIED
    return project


@pytest.fixture(params=["ssh", "adb"])
def board(
    request: pytest.FixtureRequest, built: Project, tmp_path: Path
) -> Iterator[tuple[Project, str, Path]]:
    """The project with a device `board`; how the device is reached, and its install root."""
    variables = {
        "QEMU_LD_PREFIX": str(built.root / ".buildtool/device/qcs6490"),
        "BUILDTOOL_EXEC": shutil.which("qemu-aarch64") or "",
    }
    root = tmp_path / "install root"
    if request.param == "ssh":
        with SshServer(tmp_path / "ssh", variables=variables) as ssh:
            root = ssh.device.home / "install root"
            how = f'transport = "ssh"\naddress = "{ssh.client.host}"'
            (built.root / "devices.toml").write_text(DEVICE.format(how=how, root=root))
            built.variables = ssh.client.environment
            yield built, request.param, root
    else:
        with AdbServer(tmp_path / "adb", variables=variables) as adb:
            root = adb.device.home / "install root"
            how = f'transport = "adb"\naddress = "{adb.serial}"'
            (built.root / "devices.toml").write_text(DEVICE.format(how=how, root=root))
            built.variables = adb.environment
            yield built, request.param, root


def test_one_command_builds_pushes_and_runs(board: tuple[Project, str, Path]) -> None:
    project, _, root = board

    assert project.succeeds("run", "board") == VERIFIED
    first = json.loads(project.succeeds("deploy", "board", "--json"))
    assert (first["files"], first["arch"]) == (0, "v68")

    source = next((project.root / "host").rglob("*.c"))
    project.edit(str(source.relative_to(project.root)), "verified", "proven")
    changed = project.succeeds("run", "board")
    assert changed == VERIFIED.replace("verified", "proven")
    assert len(list((root / "my-project" / "releases").iterdir())) == 2

    rolled = json.loads(project.succeeds("rollback", "board", "--json"))
    assert rolled["current"] == first["deployment"]
    project.edit(str(source.relative_to(project.root)), "proven", "verified")
