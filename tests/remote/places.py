"""Directories of projects on emulated devices, on boards and on phones."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import subprocess
from pathlib import Path

from buildtool.device.device import Device
from buildtool.device.emulated.device import Emulated
from buildtool.device.transports.adb import adb_device
from buildtool.device.transports.local import Local
from buildtool.device.transports.ssh import ssh_device
from tests.remote.adbd import AdbServer
from tests.remote.device_root import DeviceRoot
from tests.remote.remote import Remote
from tests.remote.sshd import SshClient, SshServer
from tests.remote.tool_sets import SYSTEM_PATH, Tools

UNPACK: dict[Tools, str] = {
    "coreutils": "zstd" if shutil.which("zstd", path=SYSTEM_PATH) else "gzip",
    "busybox": "gzip",
    "toybox": "",
    "android": "gzip",
}
NO_SYNC = ":"  # it would wait until all that other programs of this machine write is on its disk
SHELL_SOURCE = """
#include <unistd.h>
int main(int argc, char **argv, char **environment) {
    char *command[argc + 3];
    command[0] = command[3] = "sh";
    command[1] = "-c";
    command[2] = argv[1];
    for (int i = 2; i <= argc; i++) command[i + 2] = argv[i];
    execve("/bin/sh", command, environment);
    return 127;
}
"""


def emulated_place(directory: Path, shell: Path) -> Remote:
    """A project on an emulated device in the new directory `directory`; `shell` is made by
    `make_arm64_shell`."""
    token = _token()
    root = str(directory / "device")
    transport = Emulated(root, {"PATH": SYSTEM_PATH, "HOME": root, "BUILDTOOL_EXEC": _qemu()})
    device = Device("sim", "sim", root, transport)
    state = directory / "state"
    return Remote(device, f"{root}/{token}", token, state, program=shell.read_bytes())


def make_arm64_shell(program: Path) -> None:
    """Make an ARM64 program that runs a script of this machine's shell, which QEMU starts."""
    source = program.with_suffix(".c")
    source.write_text(SHELL_SOURCE)
    subprocess.run(["aarch64-linux-gnu-gcc", "-static", "-o", program, source], check=True)


def _qemu() -> str:
    found = shutil.which("qemu-aarch64", path=SYSTEM_PATH)
    assert found
    return found


def ssh_place(
    server: SshServer, client: SshClient, state: Path, tools: Tools, *, store: bool = False
) -> Remote:
    """A project on the device of `server`, which `client` reaches; PATH must be that of the
    client."""
    server.device.put_tool("sync", NO_SYNC)
    token = _token()
    root = f"{server.device.home}/buildtool"
    device = Device("board", "sim", root, ssh_device(client.host))
    return Remote(device, f"{root}/{token}", token, state, UNPACK[tools], store)


def local_place(board: DeviceRoot, state: Path, tools: Tools, root: str = "") -> Remote:
    """A project on `board`, as buildtool on the board itself reaches it: `local`; the install root
    `root` is by default in the home directory."""
    board.put_tool("sync", NO_SYNC)
    token = _token()
    shell = board.home / "shell"  # enters the board, in which the shell and its tools are
    shell.write_text(
        f"#!/bin/sh\nexport PATH='{board.path}' HOME='{board.home}'\n"
        f'exec {shlex.join(board.command("/bin/sh"))} "$@"\n'
    )
    shell.chmod(0o755)
    root = root or f"{board.home}/.local/share/buildtool"
    device = Device("local", "sim", root, Local(str(shell)))
    mounts = (("/data", board.data),)
    return Remote(device, f"{root}/{token}", token, state, UNPACK[tools], mounts=mounts)


def adb_place(server: AdbServer, serial: str, state: Path, tools: Tools) -> Remote:
    """A project on a device of `server`; the environment must be that of its clients."""
    server.device.put_tool("sync", NO_SYNC)
    token = _token()
    root = "/data/local/tmp/buildtool"
    device = Device("phone", "sim", root, adb_device(serial))
    mounts = (("/data", server.device.data),)
    return Remote(device, f"{root}/{token}", token, state, UNPACK[tools], mounts=mounts)


def _token() -> str:
    return f"project {os.getpid()} {secrets.token_hex(8)}"
