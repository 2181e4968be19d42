"""The project of the tests, and the devices on which its tests run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.core.value import Value
from tests.device.devices.emulated_board import emulated_board, emulated_phone
from tests.device.testing.suite import CMAKE, FILE, PROGRAM
from tests.device.testing.third_party import third_party
from tests.project import Project
from tests.remote.proxy import Proxy

DEVICE = """
[device.{name}]
transport = "{transport}"
address = "{address}"
root = "{root}"
tags = ["lab"]
"""


class Reached(Value):
    """A device that the project reaches as `name`; `root` is its install root on this machine, and
    `proxy` is on the way to it (None: there is no way)."""

    name: str
    root: Path
    proxy: Proxy | None = None


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project without tests, built."""
    project = Project(tmp_path_factory.mktemp("suite") / "my suite")
    project.write("buildtool.toml", FILE)
    project.write("host/CMakeLists.txt", CMAKE)
    project.write("host/app.c", PROGRAM)
    project.build()
    return project


@pytest.fixture(scope="session")
def meter(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The third party's tree, in a path with characters of shells and regular expressions."""
    project = third_party(tmp_path_factory.mktemp("ctest") / "third party a+b")
    project.build_here()
    return project


@pytest.fixture(scope="session", params=["sim", "ssh", "adb"])
def device(
    request: pytest.FixtureRequest,
    project: Project,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Reached]:
    """A device of the project, behind a proxy if it is not the emulated one."""
    if request.param == "sim":
        yield Reached("sim", project.root / ".buildtool/device/qcs6490/opt/buildtool")
        return
    folder = tmp_path_factory.mktemp("device")
    with tempfile.TemporaryDirectory(prefix="ssh-") as sockets:
        own = {"XDG_RUNTIME_DIR": sockets, "XDG_CONFIG_HOME": str(folder)}
        if request.param == "ssh":
            with emulated_board(folder / "board") as board, Proxy(board.port) as proxy:
                client = board.make_client(folder / "client", proxy.port)
                root = board.device.home / "install root"
                _configure(project, "ssh", client.host, root)
                project.variables = {**client.environment, **own}
                yield Reached("board", root, proxy)
            return
        with (
            emulated_phone(folder / "phone") as phone,
            Proxy(phone.ports[0], device=phone.device) as proxy,
        ):
            root = phone.device.home / "install root"
            _configure(project, "adb", phone.connect(proxy.port), root)
            project.variables = {**phone.environment, **own}
            yield Reached("board", root, proxy)


def _configure(project: Project, transport: str, address: str, root: Path) -> None:
    text = DEVICE.format(name="board", transport=transport, address=address, root=root)
    project.write("devices.toml", text)
