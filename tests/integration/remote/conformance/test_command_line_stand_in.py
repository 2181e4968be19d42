"""`buildtool deploy`, `run` and `rollback` as a user calls them, on a board without a DSP.

Stand-ins for `uname` and `getconf` make this machine an ARM64 one; the project's only program is a
script.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from buildtool.core.value import Value
from tests.project import Project
from tests.remote.adbd import AdbServer
from tests.remote.device_root import DeviceRoot
from tests.remote.sshd import SshServer

FILE = """
[project]
name = "scripts"
version = "1.0"
default-target = "board"

[host.scripts]
source = "host"

[target.board]
platform = "ubuntu-aarch64"

[run.greeting]
program = "bin/program"
args = ["echo $GREETING; exit 4"]
env = { GREETING = "hello  world" }
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(scripts LANGUAGES NONE)
install(PROGRAMS program DESTINATION bin)
"""
PROGRAM = '#!/bin/sh\n# 1\neval "$1"\n'
RUN = "run", "board"


class Board(Project):
    """A project whose program is a script, and a device `board` in its `devices.toml`."""

    server: SshServer | AdbServer | LocalBoard


class LocalBoard(Value):
    """A board on which buildtool itself runs."""

    device: DeviceRoot

    def reboot(self, **_: str) -> None:
        self.device.kill_processes()


@pytest.fixture(params=["ssh", pytest.param("adb", marks=pytest.mark.long), "local"])
def project(
    request: pytest.FixtureRequest, runtime_directory: Path, tmp_path: Path
) -> Iterator[Board]:
    """The project; the device's login shell prints before and after each script."""
    project = Board(tmp_path / "project")
    project.write("buildtool.toml", FILE)
    project.write("host/CMakeLists.txt", CMAKE)
    project.write("host/program", PROGRAM)
    with ExitStack() as stack:
        if request.param == "ssh":
            ssh = stack.enter_context(SshServer(tmp_path / "server", tools="busybox", noisy=True))
            project.server = ssh
            device, address, variables = ssh.device, ssh.client.host, ssh.client.environment
        elif request.param == "local":
            device = stack.enter_context(DeviceRoot(tmp_path / "server"))
            project.server = LocalBoard(device)
            project.prefix = device.command("/usr/bin/env", "-C", project.root)
            # It is no ARM64 system: programs are started by another one, as on the emulated device.
            address, variables = "", {"PATH": device.path, "BUILDTOOL_EXEC": "/usr/bin/env"}
        else:
            adb = stack.enter_context(AdbServer(tmp_path / "server", tools="android", noisy=True))
            project.server = adb
            device, address, variables = adb.device, adb.serial, adb.environment
        device.put_tool("uname", "echo aarch64")
        device.put_tool("getconf", "echo glibc 2.36")
        own = {"XDG_RUNTIME_DIR": str(runtime_directory), "XDG_CONFIG_HOME": str(tmp_path)}
        project.variables = {**variables, **own}
        project.write(
            "devices.toml",
            f'[device.board]\ntransport = "{request.param}"\n'
            + f'address = "{address}"\n' * bool(address)
            + f'root = "{device.home}/install root"\n',
        )
        yield project


def test_deploy_run_and_rollback(project: Board, tmp_path: Path) -> None:
    done = project.run(*RUN, "--", "bin/program", "echo out; echo err >&2; exit 7")
    assert (done.returncode, done.stdout) == (7, "out\n")
    assert "err\n" in done.stderr
    assert project.run(*RUN, "greeting").returncode == 4
    done = project.run(*RUN, "--", "bin/program", "kill -9 $$")
    assert done.returncode == 137

    done = project.run(*RUN, "--json", "--", "bin/program", "echo out; exit 3")
    result = json.loads(done.stdout)
    assert (done.returncode, result["status"], result["device"]) == (3, 3, "board")
    assert "out\n" in done.stderr

    first = json.loads(project.succeeds("deploy", "board", "--json"))
    assert first["files"] == 0
    project.edit("host/program", "# 1", "# 2")
    second = json.loads(project.succeeds("deploy", "board", "--json"))
    assert second["files"] == 1
    rolled = json.loads(project.succeeds("rollback", "board", "--json"))
    assert rolled["current"] == first["deployment"]

    text = project.succeeds(
        *RUN, "--env", "A=b  c", "--cwd", "bin", "--", "bin/program", 'echo "$A"; pwd'
    )
    assert text == f"b  c\n{second['directory']}/bin\n"
    project.succeeds(*RUN, "--pull", "result", "--", "bin/program", "echo 12 >result")
    assert (project.root / "result").read_text() == "12\n"

    damaged = Path(first["directory"], "..", second["deployment"], "bin", "program").resolve()
    damaged.write_text("#!/bin/sh\nexit 99\n")
    repaired = json.loads(project.succeeds("deploy", "board", "--verify", "--json"))
    assert repaired["repaired"] == ["bin/program"]


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        (("deploy", "board"), True),
        pytest.param((*RUN, "--", "bin/program", "exit 4"), False, marks=pytest.mark.long),
        pytest.param(("deploy", "board"), False, marks=pytest.mark.long),
        pytest.param((*RUN, "--", "bin/program", "exit 4"), True, marks=pytest.mark.long),
    ],
)
def test_what_was_known_before_a_reboot_is_asked_again(
    project: Board, command: tuple[str, ...], changed: bool
) -> None:
    """Another board can have taken the place of the one that is known: nothing is sent to it."""
    directory = Path(json.loads(project.succeeds("deploy", "board", "--json"))["directory"])
    if changed:
        project.edit("host/program", "# 1", "# 2")
    project.server.reboot()
    project.server.device.put_tool("uname", "echo riscv64")
    error = project.run(*command)
    assert (error.returncode, error.stdout) == (1 if command[0] == "deploy" else 125, ""), error
    assert "riscv64" in error.stderr
    assert [*directory.parent.iterdir()] == [directory]


def test_rollback_after_a_reboot(project: Board, tmp_path: Path) -> None:
    """The install root is elsewhere now."""
    if not isinstance(project.server, SshServer):
        return  # the root of a phone does not depend on a home directory
    root, new = project.server.device.home / "root", tmp_path / "home" / "root"
    project.edit("devices.toml", f"{project.server.device.home}/install root", "$HOME/root")
    project.succeeds("deploy", "board")
    project.edit("host/program", "# 1", "# 2")
    project.succeeds("deploy", "board")
    shutil.copytree(root, new, symlinks=True)
    project.server.reboot(HOME=str(new.parent))
    newest = (root / "scripts/current").readlink()
    project.succeeds("rollback", "board")
    assert (root / "scripts/current").readlink() == newest
    assert (new / "scripts/current").readlink() != newest


Failure = tuple[tuple[str, ...], int, str]
FAILURES: dict[str, Failure] = {
    "a program that is not there": ((*RUN, "--", "bin/progam"), 125, "Did you mean 'bin/program'"),
    "an unknown device": (("run", "bord"), 125, "Did you mean 'board'"),
    "a timeout": (
        (*RUN, "--timeout", "1s", "--", "bin/program", "sleep 9"),
        125,
        "did not end in 1 s",
    ),
    "a directory that is not there": ((*RUN, "--cwd", "x", "--", "bin/program", ""), 125, "x"),
    "a file that is not there": (
        (*RUN, "--pull", "x", "--", "bin/program", "true"),
        125,
        "cannot be fetched",
    ),
}


def test_failures(project: Board) -> None:
    for arguments, status, text in FAILURES.values():
        done = project.run(*arguments)
        assert (done.returncode, done.stdout) == (status, "")
        assert "error: " in done.stderr
        assert text in " ".join(done.stderr.split())
