"""Two users share three places of a real labgrid; the devices are real sshds."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.labgrid.coordinator import (
    SECONDS,
    TAGS,
    Coordinator,
    coordinator,
    ssh_client,
    wait_until,
)
from tests.remote.boards import end_connections
from tests.remote.fixtures import SshServers
from tests.remote.remote import processes_with
from tests.remote.sshd import SshServer
from tests.remote.tool_sets import Tools

HELD = ["sh", "-c", "echo held; exec sleep 100"]


class User:
    """A user of the lab: `variables` are those of the environment."""

    def __init__(self, name: str, home: Path, variables: dict[str, str]) -> None:
        configuration = home / "buildtool" / "devices.toml"
        configuration.parent.mkdir(parents=True)
        table = '[device.{0}]\ntransport = "ssh"\nvia = "labgrid:{0}"\ntags = ["lab"]\n'
        configuration.write_text("\n".join(map(table.format, TAGS)))
        self.devices = configuration
        own = {"XDG_CONFIG_HOME": str(home), "LG_USERNAME": name, "LG_HOSTNAME": "laptop"}
        self.environment = {**os.environ, **variables, **own, "COLUMNS": "80"}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """`buildtool ARGUMENTS...`"""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "buildtool", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        output, messages = process.communicate(timeout=SECONDS)
        return process.returncode, output, messages

    @contextlib.contextmanager
    def holding(self, name: str, *options: str) -> Iterator[subprocess.Popen[str]]:
        """`devices lock` with a command that does not end."""
        with self.start("devices", "lock", name, *options, "--", *HELD) as process:
            try:
                assert process.stdout
                assert process.stdout.readline() == "held\n"
                yield process
            finally:
                process.terminate()


class Lab:
    def __init__(self, labgrid: Coordinator, servers: dict[str, SshServer], ssh: Path) -> None:
        self.labgrid, self.servers = labgrid, servers
        self.variables = labgrid.variables
        self.variables["PATH"] = f"{ssh}:{self.variables['PATH']}"


@pytest.fixture(scope="module")
def lab(ssh_servers: SshServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    directory = tmp_path_factory.mktemp("lab")
    tools: tuple[Tools, ...] = ("coreutils", "busybox", "toybox")
    servers = {name: ssh_servers(each) for name, each in zip(TAGS, tools, strict=True)}
    ssh = ssh_client(directory / "ssh", servers)
    with coordinator(directory / "labgrid", servers) as labgrid, _sockets() as sockets:
        found = Lab(labgrid, servers, ssh)
        found.variables["XDG_RUNTIME_DIR"] = str(sockets)
        yield found


@contextlib.contextmanager
def _sockets() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ssh-") as directory:
        yield Path(directory)
        end_connections(Path(directory))


@pytest.fixture
def ann(lab: Lab, tmp_path: Path) -> User:
    return User("ann", tmp_path / "ann", lab.variables)


@pytest.fixture
def bob(lab: Lab, tmp_path: Path) -> User:
    return User("bob", tmp_path / "bob", lab.variables)


@pytest.fixture(autouse=True)
def _nobody_holds_what_nobody_uses(lab: Lab) -> Iterator[None]:
    yield
    wait_until(lambda: not lab.labgrid.holders())
    wait_until(lambda: not any(map(on_device, lab.servers.values())))


def on_device(server: SshServer) -> dict[int, str]:
    """The scripts of buildtool that run on a device."""
    found = processes_with(str(server.device.home))
    return {pid: line for pid, line in found.items() if "BUILDTOOL" in line or "report" in line}


def test_a_place_is_acquired_while_a_command_uses_it(lab: Lab, ann: User, bob: User) -> None:
    with ann.holding("one"):
        holder = lab.labgrid.holders()["one"]
        assert re.fullmatch(r"ann@laptop\+buildtool-\w{8}-\d+-\w{6}", holder)
        assert on_device(lab.servers["one"])
        status, _, messages = bob.run("devices", "facts", "one")
        assert status == 1
        assert messages.startswith(
            "error: the place one of labgrid is acquired by ann@laptop with buildtool\n"
        )
        assert "--wait forever" in messages
        table = bob.run("devices")[1]
        assert "one     ssh        in use by ann@laptop with buildtool" in table
        assert re.search(r"^two +ssh +free", table, re.MULTILINE)
        assert bob.run("devices", "facts", "two")[0] == 0
    assert "user        " in bob.run("devices", "facts", "one")[1]


def test_somebody_waits_for_a_place(lab: Lab, ann: User, bob: User) -> None:
    with ann.holding("one") as first:
        with bob.start(
            "devices", "lock", "one", "--wait", "forever", "--", "echo", "mine"
        ) as other:
            assert other.stderr
            assert "waiting for the place one of labgrid" in other.stderr.readline()
            first.terminate()
            assert other.communicate(timeout=SECONDS)[0] == "mine\n"
        assert other.returncode == 0


def test_a_place_that_is_acquired_by_hand_is_used_and_stays_acquired(
    lab: Lab, ann: User, bob: User
) -> None:
    lab.labgrid.client("-p", "one", "acquire", user="ann", host="laptop")
    try:
        assert ann.run("devices", "facts", "one")[0] == 0
        assert lab.labgrid.holders() == {"one": "ann@laptop"}
        assert "acquired by ann@laptop\n" in bob.run("devices", "facts", "one")[2]
    finally:
        lab.labgrid.client("-p", "one", "release", user="ann", host="laptop")


def test_what_a_command_starts_uses_its_place(lab: Lab, ann: User) -> None:
    inner = f"{sys.executable} -P -m buildtool devices facts one && labgrid-client -p one env"
    status, output, messages = ann.run("devices", "lock", "one", "--", "sh", "-c", inner)
    assert (status, messages) == (0, "")
    assert "user        " in output
    assert "NetworkService:" in output


SELECT = """
import sys
from pathlib import Path
from buildtool.device.selection import select_devices
from buildtool.device.sharing.reserved import ReservedDevices
with ReservedDevices(None, "test", print) as reserved:
    print(*select_devices(sys.argv[1], None, reserved.reserve, print), flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def selected(user: User, text: str) -> Iterator[str]:
    """What `--on` reserves."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", SELECT, text],
        env=user.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.communicate()


def test_places_are_found_by_their_tags(lab: Lab, ann: User, bob: User) -> None:
    with selected(ann, "tag:soc=sm8650") as found:
        assert found == "three"
    with selected(ann, "tag:arch=v68") as one, selected(bob, "tag:arch=v68") as other:
        assert (one, other) == ("one", "two")
        assert {*lab.labgrid.holders()} == {"one", "two"}
    with selected(ann, "all:arch=v68") as found:
        assert found == "one two"


def test_the_place_of_a_command_that_was_killed_is_released(lab: Lab, ann: User, bob: User) -> None:
    with ann.holding("one") as process:
        process.kill()
        process.wait()
        assert bob.run("devices", "lock", "one", "--wait", "forever", "--", "true")[0] == 0


def test_a_command_ends_with_the_coordinator(lab: Lab, ann: User, bob: User) -> None:
    with ann.holding("one") as process:
        lab.labgrid.stop()
        _, messages = process.communicate(timeout=SECONDS)
        assert not on_device(lab.servers["one"])
        lab.labgrid.start()
    assert process.returncode == 1
    assert messages.startswith(
        "error: the place one of labgrid is no longer held by this command\n"
    )
    assert "the connection to the coordinator has ended" in messages
    assert bob.run("devices", "facts", "one")[2] == ""


def test_a_command_ends_when_its_place_is_released_by_others(lab: Lab, ann: User) -> None:
    with ann.holding("one") as process:
        lab.labgrid.client("-p", "one", "release", "--kick")
        _, messages = process.communicate(timeout=SECONDS)
    assert "it is now acquired by: nobody" in messages


def test_a_command_ends_with_the_process_that_holds_its_place(lab: Lab, ann: User) -> None:
    with ann.holding("one") as process:
        [holder] = processes_with("place_holder.py\0hold\0one")
        os.kill(holder, signal.SIGKILL)
        _, messages = process.communicate(timeout=SECONDS)
    assert "the process that held it was killed" in messages
    assert not lab.labgrid.holders()


def test_a_place_of_processes_that_were_all_killed_is_freed_by_the_next_command(
    lab: Lab, ann: User, bob: User
) -> None:
    with ann.holding("one") as process:
        [holder] = processes_with("place_holder.py\0hold\0one")
        process.send_signal(signal.SIGSTOP)
        os.kill(holder, signal.SIGKILL)
        process.kill()
        process.wait()
    assert lab.labgrid.holders()
    assert "acquired by ann@laptop with buildtool" in bob.run("devices", "facts", "one")[2]
    assert ann.run("devices", "facts", "one")[0] == 0


def test_errors_say_what_to_do(lab: Lab, ann: User) -> None:
    ann.devices.write_text('[device.x]\ntransport = "ssh"\nvia = "labgrid:on"\n')
    status, _, messages = ann.run("devices", "facts", "x")
    assert status == 1
    assert messages.startswith("error: labgrid has no place 'on'\n  its places: one, three, two\n")
    ann.environment["LG_COORDINATOR"] = "127.0.0.1:1"
    messages = ann.run("devices", "facts", "x")[2]
    assert "Could not connect to coordinator: 127.0.0.1:1\n" in messages
    assert "LG_COORDINATOR=HOST:PORT" in messages
    ann.environment["PATH"] = "/usr/bin:/bin"
    assert "error: labgrid-client is not installed\n" in ann.run("devices", "facts", "x")[2]
