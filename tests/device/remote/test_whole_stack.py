"""From source to a kernel on a DSP, over real ssh and adb: the DSP is the emulated one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.devices.emulated_board import emulated_board, emulated_phone
from tests.project import Project
from tests.remote.adbd import AdbServer
from tests.remote.sshd import SshServer

pytestmark = pytest.mark.long

DEVICE = """
[device.board]
{how}
root = "{root}"
"""
VERIFIED = "my-project: scale_add of 1024 and 1001 elements verified against the CPU\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The template's project, which has run on sim."""
    folder = tmp_path_factory.mktemp("whole stack")
    project = Project(folder / "my-project")
    project.root.mkdir()
    project.succeeds("init", "--template", "hvx")
    assert project.succeeds("run", "sim") == VERIFIED
    return project


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long)])
def root(request: pytest.FixtureRequest, built: Project, tmp_path: Path) -> Iterator[Path]:
    """The install root of a device `board` that the project has."""
    if request.param == "ssh":
        server: SshServer | AdbServer = emulated_board(tmp_path)
    else:
        server = emulated_phone(tmp_path)
    with server:
        if isinstance(server, SshServer):
            how = f'transport = "ssh"\naddress = "{server.client.host}"'
            built.variables = server.client.environment
        else:
            how = f'transport = "adb"\naddress = "{server.serial}"'
            built.variables = server.environment
        root = server.device.home / "install root"
        (built.root / "devices.toml").write_text(DEVICE.format(how=how, root=root))
        yield root


def test_one_command_builds_pushes_and_runs(built: Project, root: Path) -> None:
    assert built.succeeds("run", "board") == VERIFIED
    first = json.loads(built.succeeds("deploy", "board", "--json"))
    assert (first["files"], first["arch"]) == (0, "v68")

    source = next((built.root / "host").rglob("*.c"))
    built.edit(str(source.relative_to(built.root)), "verified", "proven")
    changed = built.succeeds("run", "board")
    assert changed == VERIFIED.replace("verified", "proven")
    assert len(list((root / "my-project" / "releases").iterdir())) == 2

    rolled = json.loads(built.succeeds("rollback", "board", "--json"))
    assert rolled["current"] == first["deployment"]
    built.edit(str(source.relative_to(built.root)), "proven", "verified")
