"""A real labgrid coordinator and exporter on loopback, as `scripts/setup tests` installs them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.remote.remote import processes_with
from tests.remote.sshd import SshServer, free_port

BIN = Path(sys.prefix) / "labgrid" / "bin"
SECONDS = 60.0
CLIENT = """
Host 127.0.0.1
    IdentitiesOnly yes
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
"""
TAGS = {
    "q6a": {"soc": "qcs6490", "arch": "v68"},
    "s21": {"soc": "sm8350", "arch": "v68"},
    "hdk": {"soc": "sm8650", "arch": "v75"},
}
"""Tags of places."""


class Coordinator:
    """A coordinator with places; `resources` are what an exporter has for each of them."""

    def __init__(self, directory: Path, resources: Mapping[str, Mapping[str, object]]) -> None:
        if not BIN.is_dir():
            pytest.fail("no labgrid: run scripts/setup tests")
        directory.mkdir()
        self._directory = directory
        self._port = free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        (directory / "exporter.yaml").write_text(json.dumps(resources))
        (directory / "places.yaml").write_text(json.dumps({n: _place(n) for n in resources}))
        self.start()

    @property
    def variables(self) -> dict[str, str]:
        """The variables of its users."""
        path = f"{os.environ['PATH']}:{BIN}"
        return {"LG_COORDINATOR": f"127.0.0.1:{self._port}", "PATH": path}

    def start(self) -> None:
        """Start both, and wait until places have resources."""
        where = f"127.0.0.1:{self._port}"
        self._run("coordinator", "labgrid-coordinator", "-l", where)
        self._run("exporter", "labgrid-exporter", "-c", where, "-n", "rack", "exporter.yaml")
        wait_until(lambda: self.client("resources").count("rack/") == len(self._exported()))

    def _exported(self) -> list[str]:
        groups = json.loads((self._directory / "exporter.yaml").read_text())
        return [name for resources in groups.values() for name in resources]

    def _run(self, name: str, program: str, *arguments: str) -> None:
        with (self._directory / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [BIN / program, *arguments],
                cwd=self._directory,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        if name == "coordinator":  # else its clients could find none, and end
            log_file = self._directory / f"{name}.log"
            started = log_file.read_text().count("listening") + 1
            wait_until(
                lambda: log_file.read_text().count("listening") >= started or _ended(process)
            )

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        self._processes.clear()

    def client(self, *arguments: str, user: str = "admin", host: str = "desk") -> str:
        """What labgrid-client prints for somebody."""
        done = subprocess.run(
            [BIN / "labgrid-client", *arguments],
            env={**os.environ, **self.variables, "LG_USERNAME": user, "LG_HOSTNAME": host},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    def holding(self, name: str = "") -> list[int]:
        """The processes that hold places, or the place called `name`, for commands of its users."""
        wanted = f"place_holder.py hold {name}".rstrip()
        found = processes_with(f"LG_COORDINATOR={self.variables['LG_COORDINATOR']}")
        return [process for process, line in found.items() if f"{wanted} " in line]

    def holders(self) -> dict[str, str]:
        """Who has which place: USER@HOST."""
        rows = [line.split() for line in self.client("who").splitlines()[1:]]
        return {place: f"{user}@{host}" for user, host, place, *_ in rows}


def _place(name: str) -> dict[str, object]:
    match = {"exporter": "*", "group": name, "cls": "*", "name": None, "rename": None}
    return {
        **{"aliases": [], "comment": "", "tags": TAGS.get(name, {}), "matches": [match]},
        **{"acquired": None, "acquired_resources": [], "allowed": [], "reservation": None},
        **{"created": 1.0, "changed": 1.0},
    }


def _ended(process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, process.args
    return False


def service_of(server: SshServer) -> dict[str, object]:
    """How the device of a server is exported."""
    address = {"address": "127.0.0.1", "username": server.device.user, "port": server.port}
    return {"NetworkService": address}


@contextlib.contextmanager
def coordinator(
    directory: Path, servers: Mapping[str, SshServer], **others: Mapping[str, object]
) -> Iterator[Coordinator]:
    """A coordinator whose places are the devices of `servers`, and `others` by their resources."""
    resources = {name: service_of(server) for name, server in servers.items()}
    lab = Coordinator(directory, {**resources, **others})
    try:
        yield lab
    finally:
        lab.stop()


def ssh_client(directory: Path, servers: Mapping[str, SshServer]) -> Path:
    """A directory for PATH with an ssh that may log in to all `servers` by address and port."""
    directory.mkdir()
    lines, keys = [CLIENT], []
    for name, server in servers.items():
        client = server.make_client(directory / name)
        lines.append(f"    IdentityFile {client.config.parent}/user_key\n")
        key = re.sub(r"^\S+", f"[127.0.0.1]:{server.port}", _known(client.config))
        keys.append(key)
    lines.append(f"    UserKnownHostsFile {directory}/known_hosts\n")
    (directory / "known_hosts").write_text("".join(keys))
    config = directory / "config"
    config.write_text("".join(lines))
    program = directory / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec /usr/bin/ssh -F '{config}' \"$@\"\n")
    program.chmod(0o755)
    return program.parent


def _known(config: Path) -> str:
    return (config.parent / "known_hosts").read_text()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
