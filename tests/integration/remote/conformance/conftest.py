"""The devices of the conformance suite: with BUILDTOOL_LONG=1 each test runs on all of them, in the
short suite on those where different code or different tools decide."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from buildtool.core.value import Value
from tests.remote.device_root import DeviceRoot
from tests.remote.places import (
    adb_place,
    emulated_place,
    local_place,
    make_arm64_shell,
    ssh_place,
)
from tests.remote.remote import Remote, processes_with
from tests.remote.tool_sets import Tools

END_SECONDS = 20


class Kind(Value):
    """How a device is reached, its tools, whether it forbids hard links, and whether its login
    shell prints before and after each script."""

    transport: str
    tools: Tools
    store: bool = False
    noisy: bool = False

    def __str__(self) -> str:
        flags = f"{'-store' if self.store else ''}{'-noisy' if self.noisy else ''}"
        return f"{self.transport}-{self.tools}{flags}"


KINDS = (
    Kind("emulated", "coreutils"),
    Kind("ssh", "coreutils", noisy=True),
    Kind("ssh", "busybox"),
    Kind("ssh", "toybox", store=True),
    Kind("adb", "android"),
    Kind("local", "coreutils"),
)
EMULATED, NOISY, BUSYBOX, TOYBOX, ANDROID, LOCAL = KINDS


def short_on(*short: Kind, of: Sequence[Kind] = KINDS) -> pytest.MarkDecorator:
    """Run a test on the devices `short`, and on the others of `of` with BUILDTOOL_LONG=1."""
    return pytest.mark.parametrize(
        "remote",
        [
            pytest.param(kind, id=str(kind), marks=() if kind in short else pytest.mark.long)
            for kind in of
        ],
        indirect=True,
    )


TOOLS = short_on(TOYBOX)
"""For what the tools of a device decide, and where files of releases lie."""
SHELLS = short_on(BUSYBOX)
"""For what dash and the shell of BusyBox decide."""
TRANSPORTS = short_on(NOISY, ANDROID, LOCAL)
"""For what the way to the device decides."""
PROGRAMS = short_on(BUSYBOX, ANDROID, LOCAL)
"""For what the way to the device and its shell decide."""


@pytest.fixture(scope="session")
def runtime_directory() -> Iterator[Path]:
    """A directory for sockets whose path is short; connections are shared by all tests."""
    with tempfile.TemporaryDirectory(prefix="ssh-") as directory:
        yield Path(directory)


@pytest.fixture(scope="session")
def arm64_shell(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("arm64") / "shell"
    make_arm64_shell(program)
    return program


@pytest.fixture(scope="session")
def local_board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeviceRoot]:
    with DeviceRoot(tmp_path_factory.mktemp("local") / "board") as board:
        yield board


@pytest.fixture(params=KINDS, ids=str)
def remote(
    request: pytest.FixtureRequest,
    runtime_directory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Remote]:
    """The directory of a project on a device; no process of it may be left at the end."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_directory))
    kind: Kind = request.param
    state = tmp_path / "state"
    if kind.transport == "emulated":
        remote = emulated_place(tmp_path, request.getfixturevalue("arm64_shell"))
    elif kind.transport == "ssh":
        ssh = request.getfixturevalue("ssh_servers")(kind.tools, noisy=kind.noisy)
        monkeypatch.setenv("PATH", ssh.client.environment["PATH"])
        remote = ssh_place(ssh, ssh.client, state, kind.tools, store=kind.store)
    elif kind.transport == "local":
        remote = local_place(request.getfixturevalue("local_board"), state, kind.tools)
    else:
        adb = request.getfixturevalue("adb_servers")(kind.tools)
        for name, value in adb.environment.items():
            monkeypatch.setenv(name, value)
        remote = adb_place(adb, adb.serial, state, kind.tools)
    remote.device.transport.connect()
    yield remote
    end = time.monotonic() + END_SECONDS
    while left := processes_with(remote.token):
        assert time.monotonic() < end, left
        time.sleep(0.02)
