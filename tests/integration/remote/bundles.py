"""A project with secrets on a device, and what is in the bundles that its runs leave."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import zstandard

from buildtool.core.value import Value
from tests.project import Project
from tests.remote.adbd import AdbServer
from tests.remote.device_root import DeviceRoot
from tests.remote.proxy import Proxy
from tests.remote.sshd import SshServer

BUILDTOOL = sys.executable, "-P", "-m", "buildtool"
FILE = """
[project]
name = "scripts"
version = "1.0"
default-target = "board"
secrets = ["PIN_CODE"]
environment = ["GITHUB_PAT"]

[host.scripts]
source = "host"

[target.board]
platform = "ubuntu-aarch64"

[run.named]
program = "bin/program"
args = ["exit 3"]
env = { UPLOAD_PASSWORD = "from the \\"project\\" file" }

[run.other]
program = "bin/program"
args = ["--password", "f0reign-password"]

[test.other]
program = "bin/program"
env = { SERVICE_KEY = '''of a "t3st" run''' }

[host.scripts.defines]
LICENCE_KEY = \"\"\"
first-part \\
  s3cond-part\\u0021\"\"\"
"""
PASSWORD = r"from the \"project\" file"
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(scripts LANGUAGES NONE)
install(PROGRAMS program DESTINATION bin)
"""
DMESG = """
echo '[    1.000000] long before the run'
read -r up rest </proc/uptime
echo "[$up] fastrpc: the DSP crashed, key k3y-of-the-shell"
"""


class Bundle(Value):
    """The files of a bundle, name → bytes, and the bytes of the archive."""

    files: dict[str, bytes]
    data: bytes

    @property
    def run(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.files["run.json"])
        return document

    @property
    def summary(self) -> str:
        return self.files["README.txt"].decode()

    @property
    def every_byte(self) -> bytes:
        """The archive, and its compressed part as it is unpacked."""
        part = self.files.get("release.tar.zst", b"")
        if part:
            part = zstandard.ZstdDecompressor().stream_reader(part).read()
        return self.data + part


def read_bundle(file: Path) -> Bundle:
    """The bundle, which is whole, has its summary on top, and is its owner's only."""
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        tops = {name.partition("/")[0] for name in names}
        assert len(tops) == 1
        assert names[0].endswith("/README.txt")
        files = {name.partition("/")[2]: archive.read(name) for name in names}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    return Bundle(files, file.read_bytes())


def bundles_in(project: Path) -> list[Path]:
    """The bundles with names of their own, the oldest first; nothing else is beside them."""
    return sorted((project / ".buildtool" / "bundles").glob("*"))


class Board:
    """A project, its device, and the proxy through which the device is reached."""

    def __init__(self, project: Project, device: DeviceRoot, proxy: Proxy) -> None:
        self.project = project
        self.device = device
        self.proxy = proxy

    def fails(self, *arguments: str, status: int) -> subprocess.CompletedProcess[str]:
        done = self.project.run(*arguments)
        assert done.returncode == status, done.stderr
        return done

    def interrupt(self, *arguments: str) -> None:
        """Run a command whose program prints `begun` and goes on, and press Ctrl-C then."""
        with subprocess.Popen(
            [*BUILDTOOL, *arguments],
            cwd=self.project.root,
            env={**os.environ, **self.project.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130

    @property
    def last(self) -> Path:
        """The bundle that the last command has left."""
        found = re.search(r"^bundle of this failure: (.+)$", self.project.messages, re.MULTILINE)
        assert found, self.project.messages
        return Path(found[1])


@contextmanager
def bundle_board(kind: str, runtime_directory: Path, folder: Path) -> Iterator[Board]:
    """The project on a device behind an sshd or adbd, below `folder`, for the block.

    Stand-ins for `uname` and `getconf` make this machine an ARM64 one, stand-ins for `dmesg` and
    `logcat` have messages; the project's only program is a script.
    """
    project = Project(folder / "project")
    project.lay_out(
        {
            "buildtool.toml": FILE,
            "host/CMakeLists.txt": CMAKE,
            "host/program": '#!/bin/sh\neval "$1"\n',
        }
    )
    with ExitStack() as stack:
        if kind == "ssh":
            ssh = stack.enter_context(SshServer(folder / "server", tools="busybox"))
            proxy = stack.enter_context(Proxy(ssh.port))
            client = ssh.make_client(folder / "through", proxy.port)
            device, address, variables = ssh.device, client.host, client.environment
            device.put_tool("journalctl", "echo of the DSP; case $* in *-f*) exec sleep 60 ;; esac")
        else:
            adb = stack.enter_context(AdbServer(folder / "server", tools="android"))
            proxy = stack.enter_context(Proxy(adb.ports[0], device=adb.device))
            device, variables = adb.device, adb.environment
            address = adb.connect(proxy.port)
            device.put_tool("logcat", 'echo "$@"; echo "I/adsprpc: of the phone"')
        device.put_tool("uname", "echo aarch64")
        device.put_tool("getconf", "echo glibc 2.36")
        device.put_tool("dmesg", DMESG)
        own = {"XDG_RUNTIME_DIR": str(runtime_directory), "XDG_CONFIG_HOME": str(folder)}
        project.variables = {**variables, **own}
        project.write(
            "devices.toml",
            f'[device.board]\ntransport = "{kind}"\naddress = "{address}"\n'
            f'root = "{device.home}/root"\n',
        )
        yield Board(project, device, proxy)
